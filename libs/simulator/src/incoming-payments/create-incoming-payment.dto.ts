import { object, optional, required, text, type BodySchema } from '../server/body.dto.js';
import {
  amount,
  currency,
  email,
  links,
  metadata,
  phoneWithPlus,
  tillNumber,
} from '../server/field.rules.js';

/** The body of a create. */
export interface CreateIncomingPaymentBody {
  payment_channel: string;
  till_number: string;
  subscriber: { first_name: string; last_name: string; phone_number: string; email?: string };
  amount: { currency: string; value: number };
  metadata?: Record<string, unknown>;
  _links: { callback_url: string };
}

export function incomingPaymentSchema(plainHosts: readonly string[], strict: boolean): BodySchema {
  return {
    payment_channel: required((value) =>
      typeof value === 'string' && /^\S.* STK Push$/i.test(value)
        ? null
        : 'must name a channel, as in "M-PESA STK Push"',
    ),
    till_number: required(tillNumber),
    subscriber: object({
      first_name: required(text),
      last_name: required(text),
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
