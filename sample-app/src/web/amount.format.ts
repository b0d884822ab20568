import type { Amount } from '@tillkit/payments';

/** `KES 1,200` or `KES 99.50`: grouped as text, because money is never a float. */
export function formatAmount({ currency, value }: Amount): string {
  const [whole = '0', decimals = ''] = value.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${currency} ${grouped}${/[1-9]/.test(decimals) ? `.${decimals.padEnd(2, '0')}` : ''}`;
}
