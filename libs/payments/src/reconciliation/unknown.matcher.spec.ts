import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { PaymentRecord } from '../ledger/payment.js';
import type { TransactionRecord } from '../ledger/till-transaction.js';
import type { Transaction } from '../resources/transaction.resource.js';
import { matchUnknown } from './unknown.matcher.js';

const SENT = Date.UTC(2026, 0, 20, 12);
const MINUTE = 60_000;
const PHONE = '+254700000001';

/** As much of a payment as matching looks at. */
const payment = (id = 'one', sentAt: Date | null = new Date(SENT)): PaymentRecord =>
  ({ id, sentAt, subscriber: { phoneNumber: PHONE } }) as unknown as PaymentRecord;

const money = (
  reference: string,
  minutes: number | null,
  payer: Partial<Transaction> | null = { senderPhoneNumber: PHONE },
): TransactionRecord =>
  ({
    reference,
    originatedAt: minutes === null ? null : new Date(SENT + minutes * MINUTE),
    received: payer,
  }) as unknown as TransactionRecord;

describe('money for a payment that never got an id', () => {
  it('is matched when one transaction and one payment fit each other', () => {
    const [fits, another] = [money('ONE', 1), money('TWO', 16)];
    expect(matchUnknown(payment(), [another, fits], [])).toEqual({
      kind: 'one',
      transaction: fits,
    });
  });

  it.each([
    [-2, 'one'],
    [15, 'one'],
    [-2.1, 'none'],
    [15.1, 'none'],
    [null, 'none'],
  ])('that originated %p minutes after sending matches: %s', (minutes, kind) => {
    expect(matchUnknown(payment(), [money('ONE', minutes)], []).kind).toBe(kind);
  });

  it('of a payment that was never sent is not looked for', () => {
    expect(matchUnknown(payment('one', null), [money('ONE', 1)], []).kind).toBe('none');
  });

  it('of another payer is not matched, whether the number or its hash says so', () => {
    const hash = createHash('sha256').update('254700000002').digest('hex');
    const others = [
      money('ONE', 1, { senderPhoneNumber: '+254700000002' }),
      money('TWO', 1, { senderPhoneNumber: null, hashedSenderPhone: hash }),
    ];
    expect(matchUnknown(payment(), others, []).kind).toBe('none');
  });

  it('is matched by the hash of the payer', () => {
    const hash = createHash('sha256').update('254700000001').digest('hex').toUpperCase();
    const hashed = money('ONE', 1, { senderPhoneNumber: null, hashedSenderPhone: hash });
    expect(matchUnknown(payment(), [hashed], []).kind).toBe('one');
  });

  it('is left to a person when two transactions fit', () => {
    expect(matchUnknown(payment(), [money('ONE', 1), money('TWO', 2)], [])).toEqual({
      kind: 'ambiguous',
      detail: '2 transactions fit this payment',
    });
  });

  it.each([
    ['is masked', { senderPhoneNumber: '+2547****001' }],
    ['is missing', {}],
    ['was removed', null],
  ])('is left to a person when its payer %s', (_, payer) => {
    expect(matchUnknown(payment(), [money('ONE', 1, payer)], [])).toEqual({
      kind: 'ambiguous',
      detail: 'transaction ONE fits, and does not show who paid it',
    });
  });

  it('is left to a person when two payments fit', () => {
    const rivals = [payment('one'), payment('two')];
    expect(matchUnknown(payment(), [money('ONE', 1)], rivals)).toEqual({
      kind: 'ambiguous',
      detail: 'transaction ONE fits 2 payments',
    });
  });

  it('is matched when the other payment was sent at another time', () => {
    const rivals = [payment('two', new Date(SENT - 60 * MINUTE)), payment('three', null)];
    expect(matchUnknown(payment(), [money('ONE', 1)], rivals).kind).toBe('one');
  });
});
