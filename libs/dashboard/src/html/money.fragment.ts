import type { Amount } from '@tillkit/payments';
import { formatMoney, html, type Html } from '@tillkit/pages';
import { plainText } from './text.fragment.js';

/** `KES 1,200.00`, always with the decimals of the currency. */
export function money(amount: Amount): Html {
  return moneyOf(amount.value, amount.currency);
}

/** Like {@link money}, for an amount of the platform, whose value or currency can be missing. */
export function moneyOf(value: string | null, currency: string | null): Html {
  if (value === null) return html`<span class="soft">unreadable</span>`;
  return html`<span class="money"
    ><span class="soft">${plainText(currency ?? '', 8)}</span> ${formatMoney(
      plainText(value, 40),
      currency ?? '',
    )}</span
  >`;
}
