import { createHash } from 'node:crypto';
import {
  isSupportedCountry,
  parsePhoneNumberFromString,
  type CountryCode,
} from 'libphonenumber-js/mobile';

export { isSupportedCountry, type CountryCode };

/**
 * The international form (`+254700000001`) of a phone number in any of the ways people write it: `0700 000 001`,
 * `700000001`, `254700000001`, `+254 700 000 001`. Without a default country only numbers with `+` can be read.
 * Null when it is no valid number of a mobile phone: nothing else can be prompted.
 */
export function toInternationalPhone(text: string, defaultCountry?: CountryCode): string | null {
  const trimmed = text.trim();
  if (trimmed.startsWith('+')) return readNumber(trimmed);
  return defaultCountry ? readNumber(trimmed, defaultCountry) : null;
}

/** The country that a number in international form belongs to; null for a number that no country has. */
export function countryOf(phoneNumber: string): CountryCode | null {
  return parsePhoneNumberFromString(phoneNumber)?.country ?? null;
}

/**
 * What is compared of a phone number: sha256 of its digits, hex, as the platform's own `hashed_sender_phone`. Anyone can
 * compute the number from it, so it is redacted as the number is.
 */
export function phoneHash(phoneNumber: string): string {
  return createHash('sha256').update(phoneNumber.replace(/\D/g, '')).digest('hex');
}

/** The same of a payer as the platform shows one: from a number, or from the platform's hash; null when unreadable. */
export function payerHash({ phoneNumber, hashedPhone }: SeenPayer): string | null {
  if (phoneNumber && isPhoneNumber(phoneNumber)) return phoneHash(phoneNumber);
  return hashedPhone && isPhoneHash(hashedPhone) ? hashedPhone.toLowerCase() : null;
}

/** A number in international form, with or without `+`. Short codes and hashes are none. */
export function isPhoneNumber(text: string): boolean {
  return /^\+?[1-9]\d{9,14}$/.test(text.trim());
}

/** The platform's hash of a payer: sha256 in hex. */
export function isPhoneHash(text: string): boolean {
  return /^[0-9a-f]{64}$/i.test(text);
}

/** A payer as the platform shows one. */
interface SeenPayer {
  phoneNumber: string | null;
  hashedPhone?: string | null;
}

/** A number is checked and then read, one right after the other: the second time costs nothing. */
let last: { text: string; country?: CountryCode; number: string | null } | undefined;

function readNumber(text: string, country?: CountryCode): string | null {
  if (last?.text === text && last.country === country) return last.number;
  const parsed = parsePhoneNumberFromString(text, country);
  const number = parsed?.isValid() ? parsed.number : null;
  last = { text, number, ...(country && { country }) };
  return number;
}

/**
 * What the platform's payer says about a payer we know: the same number, another, or nothing readable. The platform
 * may give the number, its digits without `+`, or only `hashed_sender_phone`, the sha256 of the digits.
 */
export function comparePhone(known: string, seen: SeenPayer): 'same' | 'different' | 'unreadable' {
  const hash = payerHash(seen);
  if (hash === null) return 'unreadable';
  return hash === phoneHash(known) ? 'same' : 'different';
}
