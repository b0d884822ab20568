import { fitsCurrency, isCurrency, minorUnits, OWN_CURRENCY } from '../values/amount.js';
import { callbackUrlError } from '../values/callback-url.js';
import { isPhoneNumber } from '../values/phone-number.js';
import { isTillNumber } from '../values/till-number.js';
import { isObject, object, required, type BodySchema, type Validator } from './body.dto.js';

const METADATA_PAIRS = 5;

export const metadata: Validator = (value) => {
  if (!isObject(value)) return 'must be an object';
  const values = Object.values(value);
  if (values.length > METADATA_PAIRS) return `must have at most ${METADATA_PAIRS} key-value pairs`;
  return values.some((each) => typeof each === 'object' && each !== null)
    ? 'must not be nested'
    : null;
};

export const currency: Validator = (value) =>
  isCurrency(value) ? null : 'must be an ISO 4217 code';

/** Returns the only currency of money out. */
export const ownCurrency: Validator = (value) =>
  value === OWN_CURRENCY ? null : `must be ${OWN_CURRENCY}`;

export const email: Validator = (value) =>
  typeof value === 'string' && /^[^\s@]+@[^\s@]+$/.test(value) ? null : 'must be an email address';

/** Returns an amount; without `strict`, it may be text. */
export function amount(strict: boolean): Validator {
  return (given) => {
    const value = strict ? given : Number(given);
    if (typeof value !== 'number') return 'must be a number';
    return Number.isFinite(value) && value > 0 ? null : 'must be greater than 0';
  };
}

/** Returns an amount of money out. */
export function ownAmount(strict: boolean): Validator {
  const isAmount = amount(strict);
  return (given) => {
    const error = isAmount(given);
    if (error) return error;
    if (!fitsCurrency(Number(given), OWN_CURRENCY))
      return `has more decimals than ${OWN_CURRENCY} has`;
    return Number.isSafeInteger(minorUnits(Number(given), OWN_CURRENCY)) ? null : 'is too large';
  };
}

export const tillNumber: Validator = (value) =>
  isTillNumber(value) ? null : 'must be digits, or K and digits, in a string';

/** Returns a phone number; without `strict`, the + may be missing. */
export function phoneWithPlus(strict: boolean): Validator {
  return (value) =>
    isPhoneNumber(strict ? value : withPlus(value))
      ? null
      : 'must be in international format with +';
}

/** Returns a phone number of money out; without `strict`, it may have a +. */
export function phoneWithoutPlus(strict: boolean): Validator {
  return (value) => {
    const hasPlus = typeof value === 'string' && value.startsWith('+');
    return isPhoneNumber(withPlus(value)) && !(strict && hasPlus)
      ? null
      : 'has an invalid length or format: write it without +';
  };
}

/** Returns a phone number in the form that the simulator keeps. */
export function withPlus(phone: unknown): unknown {
  return typeof phone === 'string' && !phone.startsWith('+') ? `+${phone}` : phone;
}

export function oneOf(...values: readonly string[]): Validator {
  return (value) =>
    typeof value === 'string' && values.includes(value) ? null : `must be ${values.join(' or ')}`;
}

export const settlementMethod = oneOf('EFT', 'RTS');

export const trueOrFalse: Validator = (value) =>
  typeof value === 'boolean' ? null : 'must be true or false';

export const textOrNull: Validator = (value) =>
  typeof value === 'string' || value === null ? null : 'must be a string or null';

/** Returns the links of every create that has a callback. */
export function links(plainHosts: readonly string[]): BodySchema[string] {
  return object({ callback_url: required((value) => callbackUrlError(value, plainHosts)) });
}
