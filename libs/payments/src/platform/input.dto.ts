import type { PaymentsSettings } from '../accounts/payments.settings.js';
import { type Amount, amountProblem, currencyProblem } from '../money/money.js';
import { countryOf, toInternationalPhone } from '../money/phone-number.js';
import { isSandbox } from '../money/values.js';
import { PaymentsValidationError } from '../payments.errors.js';
import { type Problem, Satisfies } from '../runtime/validate-input.js';

/**
 * An amount to request.
 * @see docs/conformance.md#incoming-payments
 * @publicApi
 */
export class AmountDto implements Amount {
  /** ISO 4217 code, such as `KES`. */
  @Satisfies(currencyProblem)
  currency: string;

  /** Decimal string, more than 0, with at most the decimals of the currency and 15 significant digits: `"100.00"`. */
  @Satisfies((value, amount) => amountProblem(value, String(amount['currency'])))
  value: string;
}

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
 * country, or a number of the platform's examples. The service checks it with our settings, and sends the international form only.
 */
export const phoneProblem: Problem = (value) => {
  const national = typeof value === 'string' && /^\d[\d\s().-]{5,19}$/.test(value.trim());
  if (national || (typeof value === 'string' && toInternationalPhone(value, undefined, true)))
    return null;
  return 'must be a mobile number in international form, such as +254700000001';
};

/** A number in international form with `+`, or the error text, which follows the field's name. */
type MobilePhone =
  { phoneNumber: string; problem?: never } | { problem: string; phoneNumber?: never };

/** The settings that say how a phone number is read. */
export type PhoneSettings = Pick<PaymentsSettings, 'defaultCountry' | 'baseUrl'>;

/** Reads the number of a mobile phone that can hold money of a currency; without a currency, of any mobile phone. */
export function readMobilePhone(
  text: string,
  { defaultCountry, baseUrl }: PhoneSettings,
  currency?: string,
): MobilePhone {
  const phoneNumber =
    toInternationalPhone(text, defaultCountry) ??
    (isSandbox(baseUrl) ? toInternationalPhone(text, defaultCountry, true) : null);
  if (phoneNumber === null) return { problem: unreadable(text, defaultCountry) };
  const served = currency === undefined ? undefined : COUNTRIES[currency];
  const country = countryOf(phoneNumber);
  if (served === undefined || country === served) return { phoneNumber };
  return {
    problem: `is a number of ${country ?? 'no country'}; only mobile phones of ${served} can pay or receive ${currency}`,
  };
}

function unreadable(text: string, defaultCountry: PhoneSettings['defaultCountry']): string {
  if (toInternationalPhone(text, defaultCountry, true)) return SAMPLE_PROBLEM;
  return defaultCountry
    ? `must be a valid mobile number, in international form or as written in ${defaultCountry}; a landline has no mobile money`
    : 'must be a mobile number in international form, such as +254700000001 (or set PAYMENTS_DEFAULT_COUNTRY)';
}

const SAMPLE_PROBLEM =
  "is a number of the platform's examples, which no network has: only the platform's sandbox takes it. " +
  'Give the number of a mobile phone, or set the sandbox as baseUrl (PAYMENTS_BASE_URL)';

/**
 * Returns the international form of the number of any mobile phone.
 * @throws PaymentsValidationError that names the field `phoneNumber`
 */
export function internationalPhone(text: string, settings: PhoneSettings): string {
  const { phoneNumber, problem } = readMobilePhone(text, settings);
  if (problem === undefined) return phoneNumber;
  throw new PaymentsValidationError([{ field: 'phoneNumber', problem }]);
}
