import { hash } from 'node:crypto';
import type { CountryCode } from 'libphonenumber-js/mobile';
import { isSupportedCountry, parsePhoneNumberFromString } from './phone-library.cjs';

export { isSupportedCountry };
export type { CountryCode };

/**
 * Returns the international form (`+254700000001`) of a phone number as people write it: `0700 000 001`, `700000001`, `254700000001`, `+254 700 000
 * 001`, `00254700000001`. Invisible characters and any dashes, which come with a pasted number, do not matter. Without a default country it reads
 * only numbers with `+` or `00`. Null for anything but a valid mobile number: the platform can prompt no other phone.
 * @param takesSamples whether numbers of the platform's examples, which no network has, count as valid: its sandbox takes them
 */
export function toInternationalPhone(
  text: string,
  defaultCountry?: CountryCode,
  takesSamples = false,
): string | null {
  const plain = asTyped(text);
  const isInternational = plain.startsWith('+');
  if (!isInternational && !defaultCountry) return null;
  const { number, sample } = readNumber(plain, isInternational ? undefined : defaultCountry);
  return number ?? (takesSamples ? sample : null);
}

/** Returns a pasted number as a keyboard would write it. */
function asTyped(text: string): string {
  if (PLAIN.test(text)) return text.startsWith('00') ? text.replace(INTERNATIONAL, '+') : text;
  const typed = text.normalize('NFKC').replace(INVISIBLE, '').replace(DASH, '-').trim();
  return typed.replace(INTERNATIONAL, '+');
}

const PLAIN = /^\+?\d+$/;
const INVISIBLE = /[\p{Cf}\p{Cc}\p{Mn}]/gu;
const DASH = /[\p{Pd}\u2212\u30fc]/gu;
/** People in most countries dial another country with these digits. No national number begins so. */
const INTERNATIONAL = /^00(?=[ -]*[1-9])/;

/**
 * The numbers in the examples of the platform's guide and clients: as long as one of a mobile phone in Kenya, and of no network. A landline
 * begins with another digit.
 */
const SAMPLE = /^\+254[189]\d{8}$/;

/** Returns a number as people write it in its own country: `0700000001` for `+254700000001`. Null when it belongs to no country. */
export function nationalForm(phoneNumber: string): string | null {
  const national = parsePhoneNumberFromString(phoneNumber)?.nationalNumber;
  return national === undefined ? null : `0${national}`;
}

/** Returns the country of a number in international form; null when the number belongs to none. */
export function countryOf(phoneNumber: string): CountryCode | null {
  const parsed = last?.text === phoneNumber && last.defaultCountry === undefined ? last : undefined;
  return parsed ? parsed.country : (parsePhoneNumberFromString(phoneNumber)?.country ?? null);
}

/**
 * Returns the hash by which phone numbers are compared: sha256 of the digits in hex, as in the platform's `hashed_sender_phone`. Anyone can compute
 * the number from the hash by trying all numbers, so we redact the hash as we redact the number.
 */
export function phoneHash(phoneNumber: string): string {
  return hash('sha256', phoneNumber.replace(/\D/g, ''));
}

/** Returns the `phoneHash` of a payer, from the number or the hash that the platform shows; null when neither is readable. */
export function payerHash({ phoneNumber, hashedPhone }: SeenPayer): string | null {
  if (phoneNumber && isPhoneNumber(phoneNumber)) return phoneHash(phoneNumber);
  return hashedPhone && isPhoneHash(hashedPhone) ? hashedPhone.toLowerCase() : null;
}

/** True for a number in international form, with or without `+`. Short codes and hashes are none. */
export function isPhoneNumber(text: string): boolean {
  return /^\+?[1-9]\d{9,14}$/.test(text.trim());
}

/** True for a text in the form of the platform's hash of a payer: sha256 in hex. */
export function isPhoneHash(text: string): boolean {
  return /^[0-9a-f]{64}$/i.test(text);
}

/** A payer as the platform shows it. */
interface SeenPayer {
  phoneNumber: string | null;
  hashedPhone?: string | null;
}

/** Caches the last parsed number: a DTO checks a number, then the service reads the same number and its country. */
let last: ParsedNumber | undefined;

interface ParsedNumber {
  text: string;
  defaultCountry: CountryCode | undefined;
  /** The international form; null when the text is no valid mobile number. */
  number: string | null;
  /** The international form of a number that only the platform's examples have; else null. */
  sample: string | null;
  country: CountryCode | null;
}

function readNumber(text: string, defaultCountry?: CountryCode): ParsedNumber {
  if (last?.text === text && last.defaultCountry === defaultCountry) return last;
  const parsed = parsePhoneNumberFromString(text, defaultCountry);
  const number = parsed?.isValid() ? parsed.number : null;
  const sample = number === null && parsed && SAMPLE.test(parsed.number) ? parsed.number : null;
  last = { text, defaultCountry, number, sample, country: parsed?.country ?? null };
  return last;
}

/**
 * Compares a payer that the platform shows with a number that we know. The platform may show the number, its digits
 * without `+`, or only `hashed_sender_phone`, the sha256 of the digits.
 */
export function comparePhone(
  phoneNumber: string,
  seen: SeenPayer,
): 'same' | 'different' | 'unreadable' {
  const hash = payerHash(seen);
  if (hash === null) return 'unreadable';
  return hash === phoneHash(phoneNumber) ? 'same' : 'different';
}
