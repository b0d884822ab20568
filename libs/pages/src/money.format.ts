const NO_DECIMALS = /^(?:BIF|CLP|DJF|GNF|ISK|JPY|KMF|KRW|PYG|RWF|UGX|UYI|VND|VUV|XAF|XOF|XPF)$/;
const THREE_DECIMALS = /^(?:BHD|IQD|JOD|KWD|LYD|OMR|TND)$/;
const FOUR_DECIMALS = /^(?:CLF|UYW)$/;

/**
 * Returns an amount with the decimals of its currency and grouped thousands: `90.0` in KES is `90.00`. It is formatted as text, because an amount is
 * never a float. Decimals that the currency does not have are kept if they are not zero.
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

/**
 * Returns the number of decimals of a currency by ISO 4217; null for a text that is no currency code. The numbers of `Intl` change with releases of
 * Node.
 */
function decimalsOf(currency: string): number | null {
  if (!/^[A-Z]{3}$/.test(currency)) return null;
  if (NO_DECIMALS.test(currency)) return 0;
  if (THREE_DECIMALS.test(currency)) return 3;
  return FOUR_DECIMALS.test(currency) ? 4 : 2;
}
