import type { Amount } from '@tillkit/payments';
import { formatMoney } from '@tillkit/pages';
import { plainText } from '../html/text.fragment.js';

/** `KES 1,250.00`, for a button. */
export function amountText({ currency, value }: Amount): string {
  return `${plainText(currency, 8)} ${formatMoney(plainText(value, 40), currency)}`;
}
