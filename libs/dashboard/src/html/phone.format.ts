import type { PaymentsAccount } from '@tillkit/payments';
import { maskPhones } from '@tillkit/payments/internal/routes';
import { html, type Html } from '@tillkit/pages';

const DOT = '•';

/**
 * Shows country code and first digit, dots, and the last two digits: `+254 7•• ••• •01`. People can recognise the number, and cannot call
 * it.
 */
export function maskPhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  if (digits.length < 8) return `${DOT}${DOT}${DOT}`;
  const masked = digits.slice(0, 4) + DOT.repeat(digits.length - 6) + digits.slice(-2);
  return `+${grouped(masked)}`;
}

/** Returns the whole number in groups of three digits. */
export function formatPhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  return digits.length < 8 ? phone : `+${grouped(digits)}`;
}

/** Returns the international form of a phone number that an operator typed; null when the text is not a phone number. */
export function readPhone(account: PaymentsAccount, text: string): string | null {
  const digits = text.replace(/[^\d]/g, '');
  // We also accept the international form without +, or with 00 instead of it.
  return (
    account.toInternationalPhone(text) ??
    account.toInternationalPhone(`+${digits.replace(/^00/, '')}`)
  );
}

/** True when a part of the text looks like a phone number. */
export function hasPhone(text: string): boolean {
  return maskPhones(text) !== text;
}

/** Returns a masked number, with a text for screen readers. */
export function maskedPhone(phone: string | null): Html {
  if (!phone) return html`<span class="soft">none kept</span>`;
  const end = phone.replace(/\D/g, '').slice(-2).split('').join(' ');
  return html`<span class="phone"
    ><span aria-hidden="true">${maskPhone(phone)}</span
    ><span class="visually-hidden">phone number ending in ${end}</span></span
  >`;
}

function grouped(digits: string): string {
  return digits.replace(/(.{3})(?=.)/gu, '$1 ');
}
