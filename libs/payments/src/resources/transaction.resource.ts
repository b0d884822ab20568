import { readAmountValue } from '../values/money.js';
import { isPhoneHash, isPhoneNumber } from '../values/phone-number.js';
import { wireObject, wireText, type WireObject } from './wire-value.js';

/**
 * Money that the platform says moved (spec 2.5, 2.7). Fields that a kind of transaction does not have are null. Times
 * are the platform's own text.
 * @publicApi
 */
export interface Transaction {
  id: string | null;
  /** Kind of transaction: `Buygoods Transaction`, `External Till to Till Transaction`, ... */
  type: string | null;
  /** Decimal string; null when the platform sent something that is no readable amount. */
  amount: string | null;
  currency: string | null;
  status: string | null;
  system: string | null;
  reference: string | null;
  tillNumber: string | null;
  originationTime: string | null;
  senderFirstName: string | null;
  senderMiddleName: string | null;
  senderLastName: string | null;
  senderPhoneNumber: string | null;
  /** sha256 of the digits of the payer's number, where the platform gives that. */
  hashedSenderPhone: string | null;
  sendingTill: string | null;
  /** The wire object as it came. */
  raw: Record<string, unknown>;
}

/** Reads a transaction object; null when there is none. Unknown fields stay under `raw`. */
export function readTransaction(wire: unknown, type: unknown): Transaction | null {
  const raw = wireObject(wire);
  if (!raw) return null;
  return {
    id: wireText(raw['id']),
    type: wireText(type),
    amount: readAmountValue(raw['amount']),
    currency: wireText(raw['currency']),
    status: wireText(raw['status']),
    system: wireText(raw['system']),
    reference: referenceOf(raw),
    tillNumber: wireText(raw['till_number']),
    originationTime: wireText(raw['origination_time']),
    senderFirstName: wireText(raw['sender_first_name']),
    senderMiddleName: wireText(raw['sender_middle_name']),
    senderLastName: wireText(raw['sender_last_name']),
    ...readPayer(wireText(raw['sender_phone_number']), wireText(raw['hashed_sender_phone'])),
    sendingTill: wireText(raw['sending_till']),
    raw,
  };
}

/** What is no phone number (a hash, a short code) never becomes one: it stays under `raw`. */
export function readPayer(
  phone: string | null,
  hash: string | null,
): Pick<Transaction, 'senderPhoneNumber' | 'hashedSenderPhone'> {
  const hashed = [hash, phone].find((text) => text !== null && isPhoneHash(text));
  return {
    senderPhoneNumber: phone !== null && isPhoneNumber(phone) ? phone : null,
    hashedSenderPhone: hashed ?? null,
  };
}

/**
 * What the status of a transaction says about its money: it is there, it went back, or (null) nothing that we know for
 * certain.
 */
export function movementOf(status: string | null): 'received' | 'reversed' | null {
  if (status === 'Received' || status === 'Complete') return 'received';
  return status === 'Reversed' || status === 'Voided' ? 'reversed' : null;
}

/** References are compared trimmed and in their exact case; an empty one is none. */
function referenceOf(raw: WireObject): string | null {
  return wireText(raw['reference'])?.trim() || null;
}
