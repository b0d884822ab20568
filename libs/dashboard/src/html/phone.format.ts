import { html, type Html } from '@tillkit/pages';

const DOT = '•';

/** Country code and first digit, dots, the last two digits: `+254 7•• ••• •01`. Enough to recognise, not enough to call. */
export function maskPhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  if (digits.length < 8) return `${DOT}${DOT}${DOT}`;
  const masked = digits.slice(0, 4) + DOT.repeat(digits.length - 6) + digits.slice(-2);
  return `+${grouped(masked)}`;
}

/** The whole number in groups of three digits. */
export function formatPhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  return digits.length < 8 ? phone : `+${grouped(digits)}`;
}

/** A masked number, with a text for screen readers. */
export function maskedPhone(phone: string | null): Html {
  if (!phone) return html`<span class="soft">none kept</span>`;
  const end = phone.replace(/\D/g, '').slice(-2).split('').join(' ');
  return html`<span class="phone"
    ><span aria-hidden="true">${maskPhone(phone)}</span
    ><span class="visually-hidden">phone number ending in ${end}</span></span
  >`;
}

/** Digits that look like a phone number: after a plus (also escaped), nine or more in a row, or in groups after a zero. */
const PHONES = [
  /(\+|%2B|\\u002b)\d(?:[\s().-]{0,2}\d){7,14}/giu,
  /(?<![\w.-])\d{9,15}(?![\w.-]|:\d)/gu,
  /(?<![\w.-])0\d{2,3}(?:[\s-]\d{3}){2,3}(?![\w.-])/gu,
] as const;

/** Masks everything that looks like a phone number in texts of customers, listeners and the platform. */
export function maskPhones(value: string): string {
  return PHONES.reduce((masked, pattern) => masked.replace(pattern, hideDigits), value);
}

/** Masks one known number in every form. A host may use the number in its idempotency keys. */
export function maskThisPhone(value: string, phone: string): string {
  const digits = phone.replace(/\D/g, '');
  if (digits.length < 8) return value;
  // Also without the country code: national numbers in Kenya and its neighbours are the last nine digits.
  return [digits, digits.slice(-9)].reduce(
    (masked, known) => masked.replaceAll(known, hideDigits(known)),
    value,
  );
}

function hideDigits(number: string): string {
  const count = number.replace(/\D/g, '').length;
  let position = 0;
  return number.replace(/\d/g, (digit) => {
    position += 1;
    return position > count - 2 ? digit : DOT;
  });
}

function grouped(digits: string): string {
  return digits.replace(/(.{3})(?=.)/gu, '$1 ');
}
