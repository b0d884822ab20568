import { storableText } from '../money/values.js';
import { readAmountValue, readCurrency } from '../money/money.js';
import { isPhoneHash, isPhoneNumber } from '../money/phone-number.js';
import { timestampOf } from '../money/timestamp.js';
import type { Provenance, Transaction } from '../money/transaction.js';
import { lastDigits, sealCardNumber } from './card-number-sealing.js';
import type { TillMoneyKind } from '../money/webhook-topics.js';
import { wireName, wireObject, wireText, wireTextOf, type WireObject } from './wire-value.js';

/**
 * Reads a transaction; null when there is none. Unknown fields stay under `raw`. A card number in the object is sealed in place.
 * @param kind what the topic says; without a topic, the type says it
 * @param latest see `timestampOf`
 */
export function readTransaction(
  wire: unknown,
  type: unknown,
  provenance: Provenance,
  latest: number | undefined,
  kind: TillMoneyKind | null = kindOf(wireText(type)),
): Transaction | null {
  const raw = wireObject(wire);
  if (!raw) return null;
  sealCardNumber(raw);
  const { settled } = raw;
  const till = wireText(raw['till_number']);
  const currency = readCurrency(wireText(raw['currency']));
  return {
    provenance,
    id: wireName(raw['id']),
    type: wireText(type),
    kind,
    amount: readAmountValue(raw['amount'], currency),
    currency,
    status: wireText(raw['status']),
    system: wireText(raw['system']),
    reference: referenceOf(raw),
    // We read it as every store gives it back, because two reports of one money are compared by their tills.
    tillNumber: till === null ? null : storableText(till),
    // A reversal of an older format says when the money went back, and may not say when it came.
    originationTime:
      timestampOf(raw['origination_time'], latest) ?? timestampOf(raw['reversal_time'], latest),
    senderFirstName: wireText(raw['sender_first_name']),
    senderMiddleName: wireText(raw['sender_middle_name']),
    senderLastName: wireText(raw['sender_last_name']),
    ...readPayer(
      wireTextOf(raw, 'sender_phone_number', 'sender_msisdn'),
      wireText(raw['hashed_sender_phone']),
    ),
    sendingTill: wireText(raw['sending_till']),
    cardNumber: lastDigits(raw['customer_cc_number']),
    settled: typeof settled === 'boolean' ? settled : null,
    raw,
  };
}

const DIGITS_IN_GROUPS = /^\+?\d+(?:[ -]\d+)*$/;

/**
 * Reads the payer, in international form: the platform writes a number with and without its `+`, and with blanks or hyphens between its digits. A value
 * that is no phone number (a hash, a short code, one with `(0)`) does not become one; it stays under `raw`.
 */
export function readPayer(
  phone: string | null,
  hash: string | null,
): Pick<Transaction, 'senderPhoneNumber' | 'hashedSenderPhone'> {
  const hashed = [hash, phone].find((text) => text !== null && isPhoneHash(text));
  const written = phone?.trim() ?? '';
  const digits = DIGITS_IN_GROUPS.test(written) ? written.replace(/[ -]/g, '') : '';
  return {
    senderPhoneNumber: isPhoneNumber(digits) ? `+${digits.replace('+', '')}` : null,
    hashedSenderPhone: hashed ?? null,
  };
}

/** Returns the kind of money by the platform's word for the type, whose spelling varies. No type of card money is published. */
function kindOf(type: string | null): TillMoneyKind | null {
  if (type === null) return null;
  if (/^buy ?goods\b/i.test(type)) return 'buygoods';
  if (/\btill to till\b/i.test(type)) return 'b2b';
  return /^card\b/i.test(type) ? 'card' : null;
}

/** References are trimmed and case-sensitive. An empty reference counts as none. */
function referenceOf(raw: WireObject): string | null {
  return wireName(raw['reference'])?.trim() || null;
}
