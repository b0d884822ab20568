import type { Amount } from '@tillkit/payments';
import { formatMoney } from '@tillkit/pages';
import { plainText } from '../html/text.fragment.js';

/** Writes an amount for a button, which takes no markup: `KES 1,250.00`. */
export function amountText({ currency, value }: Amount): string {
  return `${plainText(currency, 8)} ${formatMoney(plainText(value, 40), currency)}`;
}
