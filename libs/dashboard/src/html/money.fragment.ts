import type { Amount } from '@tillkit/payments';
import { fromMinorUnits } from '@tillkit/payments/internal/routes';
import { formatMoney, html, type Html } from '@tillkit/pages';
import { plainText } from './text.fragment.js';

/** Shows an amount with all decimals of its currency: `KES 1,200.00`. */
export function money(amount: Amount): Html {
  return shown(amount.value, amount.currency);
}

/** Does the same as {@link money}, for an amount of the platform, which may have no value or no currency. */
export function moneyOf(value: string | null, currency: string | null): Html {
  return value === null ? html`<span class="soft">unreadable</span>` : shown(value, currency ?? '');
}

function shown(value: string, currency: string): Html {
  return html`<span class="money"
    ><span class="soft">${plainText(currency, 8)}</span> ${formatMoney(
      plainText(value, 40),
      currency,
    )}</span
  >`;
}

/** Returns an amount in minor units, which may be negative. */
export function moneyOfMinor(minor: bigint, currency: string): Html {
  return shown(minorText(minor, currency), currency);
}

/** Returns the decimal text of minor units, which may be negative. */
export function minorText(minor: bigint, currency: string): string {
  const text = fromMinorUnits(minor < 0n ? -minor : minor, currency);
  return minor < 0n ? `-${text}` : text;
}
