/**
 * An amount of minor units, as `KES 1,000.00`.
 * @param {number} minor
 * @param {string} currency
 */
export function minorText(minor, currency) {
  const { maximumFractionDigits: decimals = 0 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  const value = minor / 10 ** decimals;
  return `${currency} ${value.toLocaleString('en', { minimumFractionDigits: decimals })}`;
}
