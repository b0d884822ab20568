/**
 * An amount with the decimals of its currency and grouped thousands: `90.0` in KES is `90.00`. It is formatted as text, because an
 * amount is never a float. Decimals that the currency does not have are kept if they are not zero.
 * @param value a decimal; any other text is returned unchanged
 * @param currency ISO 4217 code; for any other text the decimals stay as they are
 * @example formatMoney('1200.0', 'KES') // '1,200.00'
 * @publicApi
 */
export function formatMoney(value: string, currency: string): string {
  const parts = /^(-?\d+)(?:\.(\d+))?$/.exec(value);
  if (!parts) return value;
  const [, whole = '', decimals = ''] = parts;
  const count = decimalsOf(currency);
  const shown = count === null ? decimals : decimals.replace(/0+$/, '').padEnd(count, '0');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return shown === '' ? grouped : `${grouped}.${shown}`;
}

/** How many decimals a currency has; null for a text that is no currency code. */
function decimalsOf(currency: string): number | null {
  if (!/^[A-Z]{3}$/.test(currency)) return null;
  const { maximumFractionDigits = null } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return maximumFractionDigits;
}
