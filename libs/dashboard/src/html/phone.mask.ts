import { html, type Html } from './html.template.js';

const DOT = '•';

/** Country and first digit, dots, the last two: `+254 7•• ••• •01`. Enough to recognise, too little to call. */
export function maskPhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  if (digits.length < 8) return `${DOT}${DOT}${DOT}`;
  const masked = digits.slice(0, 4) + DOT.repeat(digits.length - 6) + digits.slice(-2);
  return `+${grouped(masked)}`;
}

/** The number itself, in groups that are easy to read out. */
export function formatPhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  return digits.length < 8 ? phone : `+${grouped(digits)}`;
}

/** A masked number, said in words to who hears the page. */
export function maskedPhone(phone: string | null): Html {
  if (!phone) return html`<span class="soft">none kept</span>`;
  const end = phone.replace(/\D/g, '').slice(-2).split('').join(' ');
  return html`<span class="phone"
    ><span aria-hidden="true">${maskPhone(phone)}</span
    ><span class="visually-hidden">phone number ending in ${end}</span></span
  >`;
}

/** Digits written as phone numbers are: with a plus however it is escaped, or long, or in groups after a zero. */
const PHONES = [
  /(\+|%2B|\\u002b)\d(?:[\s().-]{0,2}\d){7,14}/giu,
  /(?<![\w.-])\d{9,15}(?![\w.-]|:\d)/gu,
  /(?<![\w.-])0\d{2,3}(?:[\s-]\d{3}){2,3}(?![\w.-])/gu,
] as const;

/** Hides what looks like a phone number in words that are not ours. */
export function maskPhones(value: string): string {
  return PHONES.reduce((masked, pattern) => masked.replace(pattern, hideDigits), value);
}

/** Hides one number we know wherever it stands, in whatever form: a host may make keys of it. */
export function maskThisPhone(value: string, phone: string): string {
  const digits = phone.replace(/\D/g, '');
  if (digits.length < 8) return value;
  // Without its country's code too: nine digits at the end are the number in Kenya and its neighbours.
  return [digits, digits.slice(-9)].reduce(
    (masked, known) => masked.replaceAll(known, hideDigits(known)),
    value,
  );
}

function hideDigits(number: string): string {
  const count = number.replace(/\D/g, '').length;
  let place = 0;
  return number.replace(/\d/g, (digit) => {
    place += 1;
    return place > count - 2 ? digit : DOT;
  });
}

function grouped(digits: string): string {
  return digits.replace(/(.{3})(?=.)/gu, '$1 ');
}
