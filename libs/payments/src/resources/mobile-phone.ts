import { PaymentsValidationError } from '../payments.errors.js';
import { countryOf, toInternationalPhone, type CountryCode } from '../values/phone-number.js';
import type { Problem } from './satisfies.decorator.js';

/** The country whose mobile phones hold money of a currency. The platform reaches no phone of another country with it. */
const COUNTRIES: Readonly<Record<string, string | undefined>> = {
  KES: 'KE',
  UGX: 'UG',
  TZS: 'TZ',
  RWF: 'RW',
  ZMW: 'ZM',
  GHS: 'GH',
};

/**
 * In a host's own controller this rule runs without our settings. So it accepts a text that may be a number in the default
 * country. The service checks it with that country, and sends the international form only.
 */
export const phoneProblem: Problem = (value) => {
  const national = typeof value === 'string' && /^\d[\d\s().-]{5,19}$/.test(value.trim());
  if (national || (typeof value === 'string' && toInternationalPhone(value) !== null)) return null;
  return 'must be a mobile number in international form, such as +254700000001';
};

/** A number in international form with `+`, or the error text, which follows the field's name. */
export type MobilePhone =
  { phoneNumber: string; problem?: never } | { problem: string; phoneNumber?: never };

/** Reads the number of a mobile phone that can hold money of a currency; without a currency, of any mobile phone. */
export function readMobilePhone(
  text: string,
  defaultCountry: CountryCode | undefined,
  currency?: string,
): MobilePhone {
  const phoneNumber = toInternationalPhone(text, defaultCountry);
  if (phoneNumber === null) return { problem: unreadable(defaultCountry) };
  const served = currency === undefined ? undefined : COUNTRIES[currency];
  const country = countryOf(phoneNumber);
  if (served === undefined || country === served) return { phoneNumber };
  return {
    problem: `is a number of ${country ?? 'no country'}; only mobile phones of ${served} can pay or receive ${currency}`,
  };
}

function unreadable(defaultCountry: string | undefined): string {
  return defaultCountry
    ? `must be a valid mobile number, in international form or as written in ${defaultCountry}; a landline has no mobile money`
    : 'must be a mobile number in international form, such as +254700000001 (or set PAYMENTS_DEFAULT_COUNTRY)';
}

/**
 * The international form of the number of any mobile phone.
 * @throws PaymentsValidationError that names the field `phoneNumber`
 */
export function internationalPhone(text: string, defaultCountry: CountryCode | undefined): string {
  const { phoneNumber, problem } = readMobilePhone(text, defaultCountry);
  if (problem === undefined) return phoneNumber;
  throw new PaymentsValidationError([{ field: 'phoneNumber', problem }]);
}
