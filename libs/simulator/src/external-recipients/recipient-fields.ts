import { optional, required, text, type BodySchema } from '../server/body.dto.js';
import {
  email,
  phoneWithoutPlus,
  phoneWithPlus,
  settlementMethod,
  tillNumber,
  withPlus,
} from '../server/field-rules.js';
import type { WireObject } from '../transactions/transaction.resource.js';

export const RECIPIENT_TYPES = ['mobile_wallet', 'bank_account', 'till', 'paybill'] as const;

export type RecipientType = (typeof RECIPIENT_TYPES)[number];

export function isRecipientType(value: unknown): value is RecipientType {
  return RECIPIENT_TYPES.some((type) => type === value);
}

/** Returns the fields of a recipient that a host creates. */
export function recipientSchema(type: RecipientType, strict: boolean): BodySchema {
  const fields = destinationFields(type, strict);
  switch (type) {
    case 'mobile_wallet':
      return {
        first_name: required(text),
        last_name: required(text),
        ...fields,
        phone_number: required(phoneWithPlus(strict)),
        email: optional(email),
      };
    case 'bank_account':
      return { ...fields, settlement_method: optional(settlementMethod) };
    case 'till':
      return { till_name: required(text), ...fields };
    case 'paybill':
      return { paybill_name: required(text), ...fields };
  }
}

/** Returns the fields of a recipient inside of a destination. */
export function destinationFields(type: RecipientType, strict: boolean): BodySchema {
  switch (type) {
    case 'mobile_wallet':
      return { phone_number: required(phoneWithoutPlus(strict)), network: required(text) };
    case 'bank_account':
      return {
        account_name: required(text),
        account_number: required(text),
        bank_branch_ref: required(text),
      };
    case 'till':
      return { till_number: required(tillNumber) };
    case 'paybill':
      return { paybill_number: required(text), paybill_account_number: required(text) };
  }
}

/** Returns the identity of a recipient. Two recipients with the same identity are one. */
export function identityOf(type: RecipientType, fields: WireObject): string {
  switch (type) {
    case 'mobile_wallet':
      return String(withPlus(fields.phone_number));
    case 'bank_account':
      return `${String(fields.bank_branch_ref)}/${String(fields.account_number)}`;
    case 'till':
      return String(fields.till_number);
    case 'paybill':
      return `${String(fields.paybill_number)}/${String(fields.paybill_account_number)}`;
  }
}
