import type { Transaction } from '@tillkit/payments/internal/store';

type Name = Exclude<keyof Transaction, 'raw'>;

/**
 * The name of each field in `raw`. A stored `same` has one bit for each entry, by its place, so only add entries at the end, and move none.
 */
const WIRE: readonly (readonly [wire: string, name: Name])[] = [
  ['id', 'id'],
  ['amount', 'amount'],
  ['currency', 'currency'],
  ['status', 'status'],
  ['system', 'system'],
  ['reference', 'reference'],
  ['till_number', 'tillNumber'],
  ['origination_time', 'originationTime'],
  ['sender_first_name', 'senderFirstName'],
  ['sender_middle_name', 'senderMiddleName'],
  ['sender_last_name', 'senderLastName'],
  ['sender_phone_number', 'senderPhoneNumber'],
  ['hashed_sender_phone', 'hashedSenderPhone'],
  ['sending_till', 'sendingTill'],
  ['customer_cc_number', 'cardNumber'],
  ['settled', 'settled'],
];

/** A field that is not stored has this value. */
const ABSENT: Readonly<Omit<Record<Name, null>, 'provenance'> & { provenance: 'till' }> = {
  provenance: 'till',
  id: null,
  type: null,
  kind: null,
  amount: null,
  currency: null,
  status: null,
  system: null,
  reference: null,
  tillNumber: null,
  originationTime: null,
  senderFirstName: null,
  senderMiddleName: null,
  senderLastName: null,
  senderPhoneNumber: null,
  hashedSenderPhone: null,
  sendingTill: null,
  cardNumber: null,
  settled: null,
};

/** A transaction as it is stored. It has no fields that are null, and `raw` has no entry that equals its field. */
export interface PackedTransaction extends Partial<Transaction> {
  /** One bit for each entry of `raw` that is not stored, because it equals its field. */
  same?: number;
}

/**
 * A transaction is stored up to four times: in its own row, in its operation and in two events. Most entries of `raw` equal a field, so
 * this halves the size.
 */
export function packTransaction({ raw, ...fields }: Transaction): PackedTransaction {
  let same = 0;
  const rest = { ...raw };
  WIRE.forEach(([wire, name], bit) => {
    if (!Object.hasOwn(raw, wire) || raw[wire] !== fields[name]) return;
    same |= 1 << bit;
    delete rest[wire];
  });
  const present = Object.entries(fields).filter(
    ([name, value]) => value !== (ABSENT as Readonly<Record<string, unknown>>)[name],
  );
  return {
    ...Object.fromEntries(present),
    ...(same !== 0 && { same }),
    ...(Object.keys(rest).length > 0 && { raw: rest }),
  };
}

export function unpackTransaction({ same = 0, raw, ...known }: PackedTransaction): Transaction {
  const fields = { ...ABSENT, ...known };
  const left = WIRE.filter((_, bit) => (same & (1 << bit)) !== 0);
  return {
    ...fields,
    raw: { ...Object.fromEntries(left.map(([wire, name]) => [wire, fields[name]])), ...raw },
  };
}
