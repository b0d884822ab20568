import { destinationFields, isRecipientType } from '../external-recipients/recipient-fields.js';
import { DESTINATION_TYPES, type DestinationType } from '../payouts/destination.model.js';
import { list, optional, required, text, type BodySchema } from '../server/body.dto.js';
import {
  links,
  metadata,
  oneOf,
  ownAmount,
  ownCurrency,
  trueOrFalse,
} from '../server/field-rules.js';

/** A destination as the request has it. */
export interface SendMoneyDestination extends Record<string, unknown> {
  type: DestinationType;
  amount: number;
  reference?: string;
}

export interface CreateSendMoneyBody {
  /** The number of the till that pays; when it is empty, the first till pays. */
  source_identifier?: string | null;
  currency: string;
  /** When it is empty, the request asks for all funds of the till. */
  destinations?: SendMoneyDestination[] | null;
  metadata?: Record<string, unknown> | null;
  _links: { callback_url: string };
}

export function sendMoneySchema(plainHosts: readonly string[], strict: boolean): BodySchema {
  return {
    source_identifier: optional((value) =>
      typeof value === 'string' || value === null ? null : 'must be a string or null',
    ),
    currency: required(ownCurrency),
    destinations: list((destination) => destinationSchema(destination.type, strict)),
    metadata: optional(metadata),
    _links: links(plainHosts),
  };
}

function destinationSchema(type: unknown, strict: boolean): BodySchema {
  const shared = {
    type: required(oneOf(...DESTINATION_TYPES)),
    amount: required(ownAmount(strict)),
    nickname: optional(text),
    favourite: optional(trueOrFalse),
  };
  if (isRecipientType(type))
    return { ...shared, ...destinationFields(type, strict), description: required(text) };
  if (DESTINATION_TYPES.some((one) => one === type))
    return { ...shared, reference: required(text), description: optional(text) };
  return { ...shared, ...ANY_DESTINATION };
}

/** For an unknown type we refuse only the type, not the fields that it might have. */
const ANY_DESTINATION: BodySchema = Object.fromEntries(
  [
    'phone_number',
    'network',
    'bank_branch_ref',
    'account_name',
    'account_number',
    'till_number',
    'paybill_number',
    'paybill_account_number',
    'reference',
    'description',
  ].map((name) => [name, optional(() => null)]),
);
