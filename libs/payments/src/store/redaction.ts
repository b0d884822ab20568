import type { Transaction, TransactionSum } from '../money/transaction.js';

/** Returns a transaction without personal data: reference, amount, till, times and status stay. */
export function withoutPerson<T extends Transaction>(transaction: T): T {
  return {
    ...transaction,
    senderFirstName: null,
    senderMiddleName: null,
    senderLastName: null,
    senderPhoneNumber: null,
    hashedSenderPhone: null,
    cardNumber: null,
    raw: {},
  };
}

/** Returns a sum without personal data. */
export function sumWithoutPerson(sum: TransactionSum): TransactionSum {
  const { received, reversal } = sum;
  return {
    ...sum,
    payerHash: null,
    received: received && withoutPerson(received),
    reversal: reversal && withoutPerson(reversal),
  };
}

/** An event with an unfinished listener call is redacted this long after the last attempt. */
export const PENDING_REDACTED_AFTER_MS = 30 * 86_400_000;

/** Replaces the error text of a listener, because it may contain personal data. */
export const REDACTED_ERROR = 'redacted by retention';

/** Fields with personal data, at any depth of a payload, and the value that replaces each. */
const PERSONAL: Readonly<Record<string, unknown>> = {
  firstName: null,
  middleName: null,
  lastName: null,
  subscriber: { firstName: '', lastName: '', phoneNumber: '' },
  senderFirstName: null,
  senderMiddleName: null,
  senderLastName: null,
  senderPhoneNumber: null,
  hashedSenderPhone: null,
  cardNumber: null,
  phoneNumber: null,
  accountName: null,
  accountNumber: null,
  paybillAccountNumber: null,
  nickname: null,
  initiatorName: null,
  description: null,
  note: null,
  why: '',
  requestedBy: null,
  approvedBy: null,
  metadata: null,
  errors: [],
  causeDetail: null,
  message: null,
  raw: {},
};

/** The reason of a failed payment is a word of ours; the reason of a reversal is a text of the host. */
const PERSONAL_IN: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  reversal: { ...PERSONAL, reason: null },
};

/** Redacts a payload: ids, states, amounts and references stay. */
export function withoutPersons<T>(value: T): T {
  return redacted(value, PERSONAL);
}

function redacted<T>(value: T, personal: Readonly<Record<string, unknown>>): T {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => redacted(item, personal)) as T;
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    Object.hasOwn(personal, name)
      ? personal[name]
      : (redacted(inner, PERSONAL_IN[name] ?? personal) as unknown),
  ]);
  return Object.fromEntries(entries) as T;
}
