import { isObject, object, optional, required, text, type BodySchema } from '../server/body.dto.js';
import { isCurrency } from '../values/amount.js';
import { callbackUrlError } from '../values/callback-url.js';
import { isPhoneNumber } from '../values/phone-number.js';
import { isTillNumber } from '../values/till-number.js';

/** The body of a create. */
export interface CreateIncomingPaymentBody {
  payment_channel: string;
  till_number: string;
  subscriber: { first_name: string; last_name: string; phone_number: string; email?: string };
  amount: { currency: string; value: number };
  metadata?: Record<string, unknown>;
  _links: { callback_url: string };
}

const METADATA_PAIRS = 5;

export function incomingPaymentSchema(plainHosts: readonly string[], strict: boolean): BodySchema {
  return {
    payment_channel: required((value) =>
      typeof value === 'string' && /^\S.* STK Push$/i.test(value)
        ? null
        : 'must name a channel, as in "M-PESA STK Push"',
    ),
    till_number: required((value) =>
      isTillNumber(value) ? null : 'must be digits, or K and digits, in a string',
    ),
    subscriber: object({
      first_name: required(text),
      last_name: required(text),
      phone_number: required((value) =>
        isPhoneNumber(value) ? null : 'must be in international format with +',
      ),
      email: optional((value) =>
        typeof value === 'string' && /^[^\s@]+@[^\s@]+$/.test(value)
          ? null
          : 'must be an email address',
      ),
    }),
    amount: object({
      currency: required((value) => (isCurrency(value) ? null : 'must be an ISO 4217 code')),
      value: required((value) => amountError(strict ? value : Number(value))),
    }),
    metadata: optional(metadataError),
    _links: object({
      callback_url: required((value) => callbackUrlError(value, plainHosts)),
    }),
  };
}

function amountError(value: unknown): string | null {
  if (typeof value !== 'number') return 'must be a number';
  return Number.isFinite(value) && value > 0 ? null : 'must be greater than 0';
}

function metadataError(value: unknown): string | null {
  if (!isObject(value)) return 'must be an object';
  const values = Object.values(value);
  if (values.length > METADATA_PAIRS) return `must have at most ${METADATA_PAIRS} key-value pairs`;
  return values.some((each) => typeof each === 'object' && each !== null)
    ? 'must not be nested'
    : null;
}
