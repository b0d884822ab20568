import { html, type Html } from '@tillkit/pages';

const DOT = '•';
const HIDDEN_HASH = DOT.repeat(8);

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

/** sha256 in hex or base64. The platform sends such hashes of phone numbers, and anyone can try all numbers. */
const HASH = String.raw`(?<![\da-f])[\da-f]{64}(?![\da-f])|(?:[\w+/-]|\\/|%2[bf]){43}(?:=|%3d|\\u003d)`;

/** Digits of these texts are not masked, although some of them look like a phone number. */
const UUID = String.raw`(?<![\da-f])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\da-f])`;
const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?`;

/** White space, points, dashes and invisible characters. */
const GAP = String.raw`\s.\u00ad\u200b-\u200f\u2010-\u2015\u2060-`;
const SEPARATOR = String.raw`[()${GAP}]`;
const START = String.raw`(?<![\p{L}\d]|\d[.])`;
const END = String.raw`(?![\p{L}\d]|[.]\d)`;

const PHONES = [
  // International: after a plus, also escaped.
  String.raw`(?:\+|%2b|\\u002b)\d(?:${SEPARATOR}{0,2}\d){7,14}`,
  // With the country code or 0, and with separators.
  String.raw`${START}(?:(?:00)?2\d\d|\(?0\)?)${SEPARATOR}{0,2}\d{2,3}(?:${SEPARATOR}\d{3}){2}${END}`,
  String.raw`${START}(?:(?:00)?2\d\d|0\d{2,3}|\(0\d{2,3}\))${SEPARATOR}{1,2}\d{3}(?:${SEPARATOR}?\d{3}){1,2}${END}`,
  // Without 0: three groups of three digits.
  String.raw`${START}\d{3}(?:[${GAP}]\d{3}){2}${END}`,
  // Only digits. With 13 or more it is an order id or a timestamp; a country code also ends a word.
  String.raw`(?<!\d)(?:00)?2\d{11}(?!\d)`,
  String.raw`${START}\d{9,12}${END}`,
];

const MASKED = new RegExp(`(?<kept>${UUID}|${TIME})|(?<hash>${HASH})|${PHONES.join('|')}`, 'giu');
const HASHES = new RegExp(HASH, 'giu');

/**
 * Masks everything that looks like a phone number or a hash of one, in texts of customers, listeners and the platform.
 */
export function maskPhones(value: string): string {
  return value.replace(MASKED, (found: string, ...rest: unknown[]) => {
    const { kept, hash } = rest.at(-1) as { kept?: string; hash?: string };
    if (kept !== undefined) return found;
    return hash === undefined ? hideDigits(found) : HIDDEN_HASH;
  });
}

/** Masks one known number in every form, and hashes. A host may use the number in its idempotency keys. */
export function maskThisPhone(value: string, phone: string): string {
  const digits = phone.replace(/\D/g, '');
  if (digits.length < 8) return value;
  // National numbers in Kenya and its neighbours are the last nine digits.
  const [code, national] = [digits.slice(0, -9), digits.slice(-9)].map((part) =>
    part.split('').join(`${SEPARATOR}{0,2}`),
  );
  const known = new RegExp(`(?:${code}${SEPARATOR}{0,2})?${national}`, 'gu');
  return value.replace(HASHES, HIDDEN_HASH).replace(known, hideDigits);
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
