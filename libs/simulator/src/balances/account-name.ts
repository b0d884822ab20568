/**
 * The owner of an account. `till` is a till of the company, `mobile_wallet` the wallet of a handset; `external_till`, `bank_account` and
 * `paybill` belong to others; `merchant_wallet` and `merchant_bank_account` are own accounts of the merchant.
 */
export type AccountKind =
  | 'till'
  | 'mobile_wallet'
  | 'merchant_wallet'
  | 'merchant_bank_account'
  | 'bank_account'
  | 'external_till'
  | 'paybill';

/**
 * The name of an account, such as `till:514459` or `mobile_wallet:+254700000001`. `world` is everything outside of the
 * simulator: the money of customers comes from it, and only its balance may be below zero.
 */
export type AccountName = 'world' | `${AccountKind}:${string}`;

export const WORLD: AccountName = 'world';

/** @param number the number that the platform reports, after aliases */
export function tillAccount(number: string): AccountName {
  return `till:${number}`;
}

/** @param phone with `+` */
export function walletAccount(phone: string): AccountName {
  return `mobile_wallet:${phone}`;
}
