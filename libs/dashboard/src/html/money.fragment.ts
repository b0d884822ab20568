import type { Amount } from '@tillkit/payments';
import { html, type Html } from './html.template.js';
import { plainText } from './text.fragment.js';

/** `KES 1,200.00`: grouped as text, because money is never a float. */
export function money(amount: Amount): Html {
  return moneyOf(amount.value, amount.currency);
}

/** The same of what the platform wrote, which may be half or nothing. */
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
