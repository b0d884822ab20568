import { anyText, object, optional, required, text, type BodySchema } from '../server/body.dto.js';
import {
  amount,
  currency,
  email,
  links,
  metadata,
  phoneWithPlus,
  tillNumber,
} from '../server/field-rules.js';

const CHANNEL = /^\S.* STK Push$/i;

/** Public clients and their examples also send the name of the network. */
const ANY_CHANNEL = /^(?:\S.* STK Push|M-?PESA)$/i;

export interface CreateIncomingPaymentBody {
  payment_channel: string;
  till_number: string;
  subscriber: {
    /** It may be absent, null or empty without `strict`. */
    first_name?: string | null;
    middle_name?: string | null;
    last_name?: string | null;
    phone_number: string;
    email?: string;
  };
  amount: { currency: string; value: number };
  metadata?: Record<string, unknown>;
  _links: { callback_url: string };
}

export function incomingPaymentSchema(plainHosts: readonly string[], strict: boolean): BodySchema {
  const channel = strict ? CHANNEL : ANY_CHANNEL;
  const name = strict ? required(text) : optional(anyText);
  return {
    payment_channel: required((value) =>
      typeof value === 'string' && channel.test(value)
        ? null
        : 'must name a channel, as in "M-PESA STK Push"',
    ),
    till_number: required(tillNumber),
    subscriber: object({
      first_name: name,
      // The contract does not have this field, but published clients send it.
      middle_name: optional(anyText),
      last_name: name,
      phone_number: required(phoneWithPlus(strict)),
      email: optional(email),
    }),
    amount: object({
      currency: required(currency),
      value: required(amount(strict)),
    }),
    metadata: optional(metadata),
    _links: links(plainHosts),
  };
}
