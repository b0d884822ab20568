import type { SendMoneyDestination } from '@tillkit/payments/types';
import { maskPhones } from '@tillkit/payments/internal/routes';
import { maskPhone } from '../html/phone.format.js';
import { WORDS } from '../words/english.words.js';

/** Returns the name and account of the receiver on one line. Phone numbers and numbers of bank accounts are masked. */
export function destinationLine(recipient: SendMoneyDestination | null): string {
  if (!recipient) return WORDS.payout.redacted;
  const { types } = WORDS.payout;
  const type = types[recipient.type];
  const join = (...parts: (string | undefined)[]): string =>
    parts
      .filter(Boolean)
      .map((part) => maskPhones(part ?? ''))
      .join(', ');
  switch (recipient.type) {
    case 'mobile_wallet': {
      const { nickname, phoneNumber, network } = recipient;
      return join(nickname, `${type} ${maskPhone(phoneNumber)}`, network);
    }
    case 'till':
      return join(recipient.nickname, `${type} ${recipient.tillNumber}`);
    case 'paybill': {
      const { nickname, paybillNumber, paybillAccountNumber } = recipient;
      return join(nickname, `${type} ${paybillNumber}`, paybillAccountNumber);
    }
    case 'bank_account': {
      const { accountName, accountNumber, bankBranchRef } = recipient;
      return join(accountName, `${type} ${lastDigits(accountNumber)}`, bankBranchRef);
    }
    case 'merchant_wallet':
    case 'merchant_bank_account':
      return join(`${type} ${recipient.reference}`);
  }
}

function lastDigits(accountNumber: string): string {
  const shown = accountNumber.slice(-3);
  return shown.padStart(accountNumber.length, '•');
}
