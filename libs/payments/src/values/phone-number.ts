import { createHash } from 'node:crypto';
import {
  isSupportedCountry,
  parsePhoneNumberFromString,
  type CountryCode,
} from 'libphonenumber-js';

export { isSupportedCountry, type CountryCode };

/**
 * The international form (`+254700000001`) of a phone number in any of the ways people write it: `0700 000 001`,
 * `700000001`, `254700000001`, `+254 700 000 001`. Without a default country only numbers with `+` can be read.
 * Null when it is no valid number.
 */
export function toInternationalPhone(text: string, defaultCountry?: CountryCode): string | null {
  const trimmed = text.trim();
  if (trimmed.startsWith('+')) return readNumber(trimmed);
  return defaultCountry ? readNumber(trimmed, defaultCountry) : null;
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
export function comparePhone(
  known: string,
  seen: { phoneNumber: string | null; hashedPhone?: string | null },
): 'same' | 'different' | 'unreadable' {
  const digits = known.replace(/\D/g, '');
  if (seen.phoneNumber && /^\+?\d{6,15}$/.test(seen.phoneNumber.trim())) {
    return seen.phoneNumber.replace(/\D/g, '') === digits ? 'same' : 'different';
  }
  if (seen.hashedPhone && /^[0-9a-f]{64}$/i.test(seen.hashedPhone)) {
    const hash = createHash('sha256').update(digits).digest('hex');
    return hash === seen.hashedPhone.toLowerCase() ? 'same' : 'different';
  }
  return 'unreadable';
}
