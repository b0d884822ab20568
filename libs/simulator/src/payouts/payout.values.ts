import { amountText, majorUnits, OWN_CURRENCY } from '../values/amount.js';
import type { Destination } from './destination.model.js';
import type { Disbursement, PayoutChanges } from './payout.model.js';

export function writeAmount({ amount }: Disbursement, { numberAmounts }: PayoutChanges) {
  const value = majorUnits(amount ?? 0, OWN_CURRENCY);
  return numberAmounts ? value : amountText(value);
}

export function writeErrors({ errors }: Disbursement, { stringErrors }: PayoutChanges) {
  return stringErrors && errors ? errors.join(', ') : errors;
}

/** Whether the money goes to a bank. The platform never tells the reference of such a transfer. */
export function isBank({ type }: Destination): boolean {
  return type === 'bank_account' || type === 'merchant_bank_account';
}
