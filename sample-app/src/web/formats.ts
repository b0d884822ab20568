import { formatMoney } from '@tillkit/pages';
import type { Amount } from '@tillkit/payments';

/** Writes an amount with all decimals of its currency: `KES 1,200.00`. */
export function formatAmount({ currency, value }: Amount): string {
  return `${currency} ${formatMoney(value, currency)}`;
}

/** Writes a number for its owner: `+254 700 000 001`. */
export function formatPhone(phone: string): string {
  return phone.replace(/^(\+254)(.{3})(.{3})(.{3})$/, '$1 $2 $3 $4');
}

/** Writes a number for everybody else, enough to recognise it and not enough to call it: `+254 7•• ••• 001`. */
export function maskPhone(phone: string): string {
  if (phone.length <= 8) return '•••';
  return formatPhone(phone.slice(0, 5) + '•'.repeat(phone.length - 8) + phone.slice(-3));
}

const NAIROBI = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Africa/Nairobi',
  dateStyle: 'medium',
  timeStyle: 'short',
});

/** Writes a time as `21 Nov 2026, 14:05`, in the time zone of the shop. An invalid time is shown unchanged. */
export function formatTime(time: Date | string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : NAIROBI.format(date);
}
