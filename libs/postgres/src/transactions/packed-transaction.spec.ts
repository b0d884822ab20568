import { describe, expect, it } from '@jest/globals';
import type { Transaction } from '@tillkit/payments/internal/store';
import * as fc from 'fast-check';
import { runs } from '../../../../test/support/thorough.js';
import { packTransaction, unpackTransaction } from './packed-transaction.js';

const RAW = {
  id: '1-2',
  amount: '100',
  status: 'Received',
  reference: 'CGD76Y0815',
  till_number: '514459',
  sender_first_name: 'Jane',
  sender_middle_name: null,
  sender_phone_number: '+254700000001',
};

const TRANSACTION: Transaction = {
  provenance: 'operation',
  id: '1-2',
  type: 'Buygoods Transaction',
  kind: 'buygoods',
  amount: '100',
  currency: null,
  status: 'Received',
  system: null,
  reference: 'CGD76Y0815',
  tillNumber: '514459',
  originationTime: null,
  senderFirstName: 'Jane',
  senderMiddleName: null,
  senderLastName: null,
  senderPhoneNumber: '+254700000001',
  hashedSenderPhone: null,
  sendingTill: null,
  cardNumber: null,
  settled: null,
  raw: RAW,
};

/** Writes a transaction to the database and reads it back. */
function stored(transaction: Transaction): Transaction {
  return unpackTransaction(
    JSON.parse(JSON.stringify(packTransaction(transaction))) as ReturnType<typeof packTransaction>,
  );
}

describe('a packed transaction', () => {
  it('has no field that is null, and nothing twice', () => {
    const { raw, same, ...fields } = packTransaction(TRANSACTION);
    expect(raw).toBeUndefined();
    expect(same).toBeGreaterThan(0);
    expect(Object.values(fields)).not.toContain(null);
  });

  it('is the same transaction when it is read', () => {
    expect(stored(TRANSACTION)).toEqual(TRANSACTION);
  });

  it('keeps the kind of its money, the digits of a card and whether it was settled', () => {
    const raw = { ...RAW, customer_cc_number: '1111', settled: false };
    const card = { ...TRANSACTION, kind: 'card', cardNumber: '1111', settled: false, raw } as const;
    expect(stored(card)).toEqual(card);
    expect(packTransaction(card).raw).toBeUndefined();
  });

  it('that an older version stored has null in the fields that it did not know', () => {
    const { kind: _kind, ...older } = packTransaction(TRANSACTION);
    expect(unpackTransaction(older)).toEqual({
      ...TRANSACTION,
      kind: null,
      cardNumber: null,
      settled: null,
    });
  });

  it('keeps what the platform wrote in another way than the field', () => {
    const raw = { ...RAW, amount: 100, reference: ' CGD76Y0815 ', unknown: { of: ['us'] } };
    expect(stored({ ...TRANSACTION, raw }).raw).toStrictEqual(raw);
  });

  it('distinguishes a null of the platform from a missing field', () => {
    const { sender_middle_name: _left, ...raw } = RAW;
    expect(stored({ ...TRANSACTION, raw }).raw).not.toHaveProperty('sender_middle_name');
    expect(stored(TRANSACTION).raw).toHaveProperty('sender_middle_name', null);
  });

  it('is the same for any text of the platform', () => {
    const text = fc.option(fc.constantFrom('', 'a', '__proto__', '100'), { nil: null });
    const fields = Object.keys(TRANSACTION).filter(
      (name) => name !== 'raw' && name !== 'provenance',
    );
    const wire = fc.constantFrom(...Object.keys(RAW), 'same', 'raw', '__proto__', 'sending_till');
    const transactions = fc
      .tuple(
        fc.tuple(...fields.map(() => text)),
        fc.dictionary(wire, fc.oneof(text, fc.jsonValue())),
      )
      .map(([values, raw]) => ({
        provenance: 'request' as const,
        ...Object.fromEntries(fields.map((name, index) => [name, values[index]])),
        // JSON.parse makes it, so it has a prototype.
        raw: JSON.parse(JSON.stringify(raw)),
      }));
    fc.assert(
      fc.property(transactions, (transaction) => {
        expect(stored(transaction as Transaction)).toStrictEqual(transaction);
      }),
      { numRuns: runs(2_000) },
    );
  });
});
