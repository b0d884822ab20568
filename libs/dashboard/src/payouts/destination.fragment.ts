import type { SendMoneyDestination } from '@tillkit/payments/types';
import { html, type Html } from '@tillkit/pages';
import { formatPhone, maskedPhone } from '../html/phone.format.js';
import { masked, text } from '../html/text.fragment.js';
import { WORDS } from '../words/english.words.js';

/**
 * Returns the name and account of the receiver.
 * @param isRevealed true shows phone numbers
 */
export function destination(recipient: SendMoneyDestination | null, isRevealed: boolean): Html {
  if (!recipient) return html`<span class="soft">${WORDS.payout.redacted}</span>`;
  const shown = (value: string): Html => (isRevealed ? text(value, 120) : masked(value, 120));
  const { types } = WORDS.payout;
  switch (recipient.type) {
    case 'mobile_wallet': {
      const { phoneNumber, network } = recipient;
      const phone = isRevealed
        ? html`<span class="phone">${text(formatPhone(phoneNumber), 60)}</span>`
        : maskedPhone(phoneNumber);
      return named(shown, recipient, html`${phone} (${shown(network)})`);
    }
    case 'till':
      return named(shown, recipient, html`${types.till} ${shown(recipient.tillNumber)}`);
    case 'paybill':
      return named(
        shown,
        recipient,
        html`${types.paybill} ${shown(recipient.paybillNumber)},
        ${shown(recipient.paybillAccountNumber)}`,
      );
    case 'bank_account':
      return html`${shown(recipient.accountName)}<br />
        ${types.bank_account} ${shown(recipient.accountNumber)}, ${shown(recipient.bankBranchRef)}`;
    case 'merchant_wallet':
    case 'merchant_bank_account':
      return html`${types[recipient.type]} ${shown(recipient.reference)}`;
  }
}

export function purpose(recipient: SendMoneyDestination | null, isRevealed: boolean): Html {
  const description = recipient?.description ?? '';
  return isRevealed ? text(description, 200) : masked(description, 200);
}

/** Returns the name of a destination for a button, without its account. */
export function nameOfDestination(recipient: SendMoneyDestination): string {
  if ('accountName' in recipient) return recipient.accountName;
  if ('nickname' in recipient && recipient.nickname) return recipient.nickname;
  if (recipient.type === 'mobile_wallet') return formatPhone(recipient.phoneNumber);
  return WORDS.payout.types[recipient.type];
}

function named(
  shown: (value: string) => Html,
  { nickname }: { nickname?: string },
  account: Html,
): Html {
  return nickname ? html`${shown(nickname)}<br />${account}` : account;
}
