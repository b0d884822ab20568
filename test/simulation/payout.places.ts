import type { SendMoneyDestination } from '../../libs/payments/src/platform/resources/create-send-money.dto.js';
import type { WireDestination } from './platform.truth.js';

/** The fields that name the account of a destination, as the platform writes them and as hosts do. */
const FIELDS = [
  ['phone_number', 'phoneNumber'],
  ['account_number', 'accountNumber'],
  ['bank_branch_ref', 'bankBranchRef'],
  ['till_number', 'tillNumber'],
  ['paybill_number', 'paybillNumber'],
  ['paybill_account_number', 'paybillAccountNumber'],
] as const;

export const ACCOUNT_FIELDS = FIELDS.map(([name]) => name);

/** Returns a text that is the same for destinations that nobody can tell apart. */
export function identityOf(destination: WireDestination): string {
  const account = ACCOUNT_FIELDS.map((field) => destination[field] ?? '');
  return JSON.stringify([destination.type, ...account, destination.amount]);
}

export function identityOfRecipient(recipient: SendMoneyDestination): string {
  const named = recipient as unknown as Record<string, string | undefined>;
  const account = FIELDS.map(([, field]) => (named[field] ?? '').replace(/^\+/, ''));
  return JSON.stringify([recipient.type, ...account, Number(recipient.amount)]);
}

/** Returns the indexes of the recipients with an identity. */
export function placesOf(recipients: readonly SendMoneyDestination[], identity: string): number[] {
  return recipients.flatMap((recipient, place) =>
    identityOfRecipient(recipient) === identity ? [place] : [],
  );
}
