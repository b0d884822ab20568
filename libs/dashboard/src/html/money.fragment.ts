import type { Amount } from '@tillkit/payments';
import { html, type Html } from '@tillkit/pages';
import { plainText } from './text.fragment.js';

/** `KES 1,200.00`. Thousands are grouped as text, because an amount is never a float. */
export function money(amount: Amount): Html {
  return moneyOf(amount.value, amount.currency);
}

/** Like {@link money}, for an amount of the platform, whose value or currency can be missing. */
export function moneyOf(value: string | null, currency: string | null): Html {
  if (value === null) return html`<span class="soft">unreadable</span>`;
  const [whole = '0', decimals] = plainText(value, 40).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return html`<span class="money"
    ><span class="soft">${plainText(currency ?? '', 8)}</span> ${grouped}${
      decimals === undefined ? '' : `.${decimals}`
    }</span
  >`;
}
