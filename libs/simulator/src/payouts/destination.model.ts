import type { AccountName } from '../balances/account-name.js';
import { InvalidInputError } from '../simulator.errors.js';
import type { WireObject } from '../transactions/transaction.resource.js';

/** The kinds of destinations. The first four are recipients; the others are own accounts of the merchant. */
export const DESTINATION_TYPES = [
  'mobile_wallet',
  'bank_account',
  'till',
  'paybill',
  'merchant_wallet',
  'merchant_bank_account',
] as const;

export type DestinationType = (typeof DESTINATION_TYPES)[number];

/** The destination of the money of a payout. */
export interface Destination {
  readonly type: DestinationType;
  /** This number chooses the scenario: phone number with +, account number, till number, or account number at the paybill. */
  readonly number: string;
  readonly account: AccountName;
  /** The reference of the recipient or own account. */
  readonly reference: string;
  /** The phone of a mobile wallet and of a merchant wallet, with +. */
  readonly phone: string | null;
  /** The fields of the recipient or own account. */
  readonly details: WireObject;
  /** The fields of the request that a disbursement repeats. */
  readonly fields: WireObject;
}

/** Returns the title of a type: `Mobile Wallet` for `mobile_wallet`. */
export function titleOf(type: DestinationType): string {
  return type
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

/** Checks that a text can be the number of a destination: of a phone, an account or a till. @throws InvalidInputError */
export function requireDestination(number: string): void {
  if (/^\+?[\w-]{1,100}$/.test(number)) return;
  throw new InvalidInputError(
    `"${number}" is not the number of a destination. Give a phone number, an account number or a till number.`,
  );
}
