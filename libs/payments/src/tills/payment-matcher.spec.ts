import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { deliveryEvent } from '../inbox/deliveries.service.js';
import type { PaymentRecord } from '../operations/payments/payment.js';
import { PlatformRejectedError } from '../platform.errors.js';
import type { Transaction } from '../money/transaction.js';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aLedger,
  applied,
  anIncomingPayment,
  anObservedTransaction,
  anUnknownPayment,
  aPendingPayment,
  aRequestedPayment,
  aTransaction,
  type LedgerUnderTest,
} from '../testing/ledger.fixture.js';
import { MovedRuntime } from '../testing/moved.runtime.js';
import { matcherOf } from '../testing/operation-parts.fixture.js';
import { phoneHash } from '../money/phone-number.js';
import { isMatched, type PaymentMatcher } from './payment-matcher.js';
import { unreadItem, type SweptLists, type UnreadItem } from './swept-lists.js';

Logger.overrideLogger(false);

const MINUTE = 60_000;
const PHONE = '+254700000001';

describe('matching a payment without a platform id', () => {
  let runtime: MovedRuntime;
  let store: MemoryStore;
  let under: LedgerUnderTest;
  let matcher: PaymentMatcher;
  let sent: Date;

  beforeEach(() => {
    runtime = new MovedRuntime();
    store = new MemoryStore(() => runtime.now());
    under = aLedger(store, {}, runtime);
    matcher = matcherOf(under);
    sent = new Date(runtime.now());
  });

  const received = async (
    reference: string,
    minutes: number | null = 1,
    changes: Partial<Transaction> = {},
  ): Promise<void> => {
    const at = minutes === null ? 'some time' : new Date(sent.getTime() + minutes * MINUTE);
    const transaction = aTransaction({
      reference,
      originationTime: typeof at === 'string' ? at : at.toISOString(),
      ...changes,
    });
    await under.tills.observe(anObservedTransaction(transaction, { via: 'sweep' }));
  };

  /** Returns the lists of the two hours around the sending, of all tills. */
  const lists = (changes: Partial<SweptLists> = {}): SweptLists => ({
    account: 'default',
    till: null,
    from: new Date(sent.getTime() - 60 * MINUTE),
    to: new Date(sent.getTime() + 60 * MINUTE),
    unread: [],
    ...changes,
  });

  const match = async (
    payment: PaymentRecord,
    changes: Partial<SweptLists> = {},
  ): Promise<PaymentRecord> => {
    await matcher.match(payment, lists(changes));
    return under.ledger.find(payment);
  };

  /** Returns an item that cannot be read, of a list of the minutes after the sending. */
  const unread = (from: number, to: number, till: string | null = null): UnreadItem => ({
    ...unreadItem({
      from: new Date(sent.getTime() + from * MINUTE),
      to: new Date(sent.getTime() + to * MINUTE),
    }),
    till,
  });

  it.each<[string, Partial<PaymentRecord>, boolean]>([
    ['is done for a payment that is unknown', {}, true],
    [
      'is done for a payment that is in review for no evidence',
      { state: 'needs_review', cause: 'no_evidence' },
      true,
    ],
    [
      'is not done for a payment that is in review for another amount',
      { state: 'needs_review', cause: 'amount_mismatch' },
      false,
    ],
    ['is done for a payment that a person has failed', { state: 'failed', decided: true }, true],
    ['is not done for a payment that the platform has failed', { state: 'failed' }, false],
    ['is not done for a payment that has an id', { platformId: 'x' }, false],
    [
      'is not done for a payment that may have been sent before a restore, nobody knows when',
      { sender: null },
      false,
    ],
  ])('%s', async (_, changes, isIts) => {
    expect(isMatched({ ...(await anUnknownPayment(under)), ...changes })).toBe(isIts);
  });

  it('assigns a transaction that fits only this payment', async () => {
    const payment = await anUnknownPayment(under);
    await received('ONE');
    await received('TWO', 16);
    expect(await match(payment)).toMatchObject({
      state: 'succeeded',
      transaction: { reference: 'ONE' },
    });
    const record = await store.transactions.find('default', 'ONE');
    expect(record?.sums).toMatchObject([{ paymentId: payment.id }]);
  });

  it.each([
    ['9 seconds before sending', 'succeeded', null, -9 / 60],
    ['15 minutes after sending', 'succeeded', null, 15],
    ['11 seconds before sending', 'needs_review', 'ambiguous', -11 / 60],
    ['2 minutes before sending', 'needs_review', 'ambiguous', -2],
    ['2.1 minutes before sending', 'needs_review', 'no_evidence', -2.1],
    ['15.1 minutes after sending', 'needs_review', 'no_evidence', 15.1],
  ])(
    'with a transaction %s ends with the payment %s and the cause %s',
    async (_, state, cause, minutes) => {
      const payment = await anUnknownPayment(under);
      await received('ONE', minutes);
      expect(await match(payment)).toMatchObject({ state, cause });
    },
  );

  it('assigns no money that was known here before the payment, also where its time fits', async () => {
    await received('ONE');
    runtime.advance(1);
    sent = new Date(runtime.now());
    const payment = await anUnknownPayment(under);
    expect(await match(payment)).toMatchObject({
      cause: 'ambiguous',
      causeDetail:
        'transaction ONE fits, and came before the payment was sent: the customer may have paid directly',
    });
  });

  it.each<[string, [number, number, string?], boolean]>([
    ['sends the payment to review for an unreadable item of its span', [-60, 60], true],
    [
      'sends the payment to review for an unreadable item of a span that ends with the beginning of its window',
      [-60, -2],
      true,
    ],
    [
      'sends the payment to review for an unreadable item of a span that begins with the end of its window',
      [15, 60],
      true,
    ],
    [
      'sends the payment to review for an unreadable item of its span at its till',
      [-60, 60, '514459'],
      true,
    ],
    ['assigns a transaction beside an unreadable item of an earlier span', [-60, -2.1], false],
    ['assigns a transaction beside an unreadable item of a later span', [15.1, 60], false],
    [
      'assigns a transaction beside an unreadable item of its span at another till',
      [-60, 60, '999999'],
      false,
    ],
  ])('%s', async (_, item, isIts) => {
    const payment = await anUnknownPayment(under);
    await received('ONE');
    expect(await match(payment, { unread: [unread(...item)] })).toMatchObject(
      isIts ? { state: 'needs_review', cause: 'ambiguous' } : { state: 'succeeded' },
    );
  });

  it('says nothing of a payment at another till than the one that was read', async () => {
    const payment = await anUnknownPayment(under);
    await received('ONE');
    expect(await match(payment, { till: '999999' })).toMatchObject({ state: 'unknown' });
    expect(await match(payment, { till: '514459' })).toMatchObject({ state: 'succeeded' });
  });

  it('sends the payment to review when no money fits, and settles it when money comes later', async () => {
    const payment = await anUnknownPayment(under);
    const reviewed = await match(payment);
    expect(reviewed).toMatchObject({ state: 'needs_review', cause: 'no_evidence' });
    expect(await store.operations.dueAt('default', payment.id)).toBeNull();
    await received('ONE');
    expect(await match(reviewed)).toMatchObject({ state: 'succeeded' });
  });

  describe('that a person has failed', () => {
    const failed = async (payment: PaymentRecord): Promise<PaymentRecord> =>
      under.ledger.resolve(payment, { state: 'failed', by: 'ops', note: 'not on the statement' });

    it('opens it again when money comes that fits no other payment, and never makes it succeed', async () => {
      const payment = await anUnknownPayment(under);
      const decided = await failed(await match(payment));
      expect(await match(decided)).toMatchObject({ state: 'failed' });
      await received('ONE');
      expect(await match(decided)).toMatchObject({
        state: 'needs_review',
        cause: 'paid_after_failure',
        transaction: { reference: 'ONE' },
      });
    });

    it('leaves it failed for money that the person has seen', async () => {
      const payment = await anUnknownPayment(under);
      await received('ONE');
      await received('TWO', 2);
      const decided = await failed(await match(payment));
      await under.ledger.apply(await anUnknownPayment(under), {
        via: 'sweep',
        platformId: null,
        askedAt: sent,
        transaction: aTransaction({ reference: 'TWO' }),
        content: { matched: aTransaction({ reference: 'TWO' }) },
      });
      expect(await match(decided)).toMatchObject({ state: 'failed' });
    });

    it('leaves it failed for money that may be that of another payment', async () => {
      const payment = await anUnknownPayment(under);
      const decided = await failed(await match(payment));
      await aPendingPayment(under, 'rival');
      await received('ONE');
      expect(await match(decided)).toMatchObject({ state: 'failed' });
    });
  });

  it.each([
    ['another number', { senderPhoneNumber: '+254700000002' }],
    ['another till', { tillNumber: '999999' }],
    ['another amount', { amount: '99.00' }],
  ])('does not assign a transaction with %s', async (_, changes) => {
    const payment = await anUnknownPayment(under);
    await received('ONE', 1, changes);
    expect(await match(payment)).toMatchObject({ cause: 'no_evidence', transaction: null });
  });

  it('sends the payment to review for a transaction with a hash that is not that of its payer: nobody can say of what it is the hash', async () => {
    const payment = await anUnknownPayment(under);
    const hashedSenderPhone = phoneHash('+254700000002');
    await received('ONE', 1, { senderPhoneNumber: null, hashedSenderPhone });
    expect(await match(payment)).toMatchObject({ state: 'needs_review', cause: 'ambiguous' });
  });

  it('sends the payment to review for a transaction whose time cannot be read, by when it was reported', async () => {
    const payment = await anUnknownPayment(under);
    await received('ONE', 1, { originationTime: null });
    expect(await match(payment)).toMatchObject({
      state: 'needs_review',
      cause: 'ambiguous',
      causeDetail: 'transaction ONE fits, and its origination_time cannot be read',
    });
  });

  it('assigns a transaction with the hash of its payer', async () => {
    const payment = await anUnknownPayment(under);
    const hashedSenderPhone = phoneHash(PHONE).toUpperCase();
    await received('ONE', 1, { senderPhoneNumber: null, hashedSenderPhone });
    expect(await match(payment)).toMatchObject({ state: 'succeeded' });
  });

  it('sends the payment to review when its transaction was reported at two tills', async () => {
    const payment = await anUnknownPayment(under);
    await received('ONE', 1, { tillNumber: '777777' });
    await received('ONE');
    expect(await match(payment)).toMatchObject({ cause: 'ambiguous' });
  });

  it('sends the payment to review when its transaction was also reported at another till, where it does not fit', async () => {
    const payment = await anUnknownPayment(under);
    await received('ONE', 1, { tillNumber: '777777', amount: '99.00' });
    await received('ONE');
    expect(await match(payment)).toMatchObject({
      cause: 'ambiguous',
      causeDetail: 'transaction ONE fits, and was reported at two tills that no alias joins',
    });
  });

  it('sends the payment to review when two transactions fit', async () => {
    const payment = await anUnknownPayment(under);
    await received('ONE');
    await received('TWO', 2);
    expect(await match(payment)).toMatchObject({
      state: 'needs_review',
      cause: 'ambiguous',
      causeDetail: 'transactions ONE, TWO fit this payment',
    });
  });

  it.each([
    ['is masked', { senderPhoneNumber: '+2547****001' }],
    ['is a short code', { senderPhoneNumber: '600123' }],
    ['is missing', { senderPhoneNumber: null }],
  ])('sends the payment to review when the payer of the transaction %s', async (_, changes) => {
    const payment = await anUnknownPayment(under);
    await received('ONE', 1, changes);
    expect(await match(payment)).toMatchObject({
      cause: 'ambiguous',
      causeDetail: 'transaction ONE fits, and does not show who paid it',
    });
  });

  it('assigns a transaction that fits two payments to neither, in any order of matching', async () => {
    const one = await anUnknownPayment(under);
    const two = await anUnknownPayment(under);
    await received('ONE');
    expect(await match(one)).toMatchObject({ cause: 'ambiguous' });
    expect(await match(two)).toMatchObject({ cause: 'ambiguous' });
  });

  it('assigns the transaction after a person has decided the rival', async () => {
    const one = await anUnknownPayment(under);
    const two = await anUnknownPayment(under);
    await received('ONE');
    await match(one);
    await match(two);
    await under.ledger.resolve(two, { state: 'failed', by: 'ops', note: 'asked by phone' });
    expect(await match(await under.ledger.find(one))).toMatchObject({ state: 'succeeded' });
  });

  it('assigns the transaction when the rival has another transaction, another time, or was refused', async () => {
    const payment = await anUnknownPayment(under);
    const paid = await aPendingPayment(under, 'paid');
    const other = aTransaction({ reference: 'OTHER' });
    await applied(under, paid, anIncomingPayment('paid', 'Success', other), 'status');
    const refused = await aRequestedPayment(under);
    await under.answers.apply(refused, {
      kind: 'rejected',
      error: new PlatformRejectedError({ operation: 'create', status: 422, platformMessages: [] }),
    });
    runtime.advance(60 * MINUTE);
    await anUnknownPayment(under);
    await received('ONE');
    expect(await match(payment)).toMatchObject({ state: 'succeeded' });
  });

  it.each([
    ['sends the payment to review', 59, 'ambiguous'],
    ['assigns the transaction', 60, null],
  ])(
    '%s when a read denies the rival %d seconds after the transaction',
    async (_, seconds, cause) => {
      const payment = await anUnknownPayment(under);
      const rival = await aPendingPayment(under, 'rival');
      await received('ONE', 0);
      runtime.advance(seconds * 1_000);
      const denial = anIncomingPayment('rival', 'Failed', null, ['cancelled']);
      await applied(under, rival, denial, 'status');
      expect(await match(payment)).toMatchObject({ cause });
    },
  );

  it('is blocked by a rival only if the transaction may come from its phone', async () => {
    const payment = await anUnknownPayment(under);
    const phoneNumber = '+254700000002';
    await aPendingPayment(under, 'gone', {
      subscriber: { firstName: 'J', lastName: 'D', phoneNumber },
    });
    await received('ONE');
    expect(await match(payment)).toMatchObject({ state: 'succeeded' });
    const second = await anUnknownPayment(under);
    await aPendingPayment(under, 'gone too');
    await received('TWO');
    expect(await match(second)).toMatchObject({ cause: 'ambiguous' });
  });

  it('finds the transaction and the rivals among 300 payments of one amount', async () => {
    const payments: PaymentRecord[] = [];
    for (let n = 0; n < 300; n += 1) {
      const phoneNumber = `+2547001${String(n).padStart(5, '0')}`;
      payments.push(
        await anUnknownPayment(under, {
          subscriber: { firstName: 'J', lastName: 'D', phoneNumber },
        }),
      );
      await received(`REF${n}`, 1, { senderPhoneNumber: phoneNumber });
    }
    for (const [n, payment] of payments.entries()) {
      expect(await match(payment)).toMatchObject({ transaction: { reference: `REF${n}` } });
    }
  });

  it('sends the payment to review when a bare request may own the transaction', async () => {
    const payment = await anUnknownPayment(under);
    await store.bareRequests.keep('default', {
      id: 'bare-1',
      resource: 'incoming-payments',
      platformId: 'x',
      sentAt: sent,
      money: {
        currency: 'KES',
        amountMinor: '10000',
        payerHash: phoneHash(PHONE),
      },
    });
    await received('ONE');
    expect(await match(payment)).toMatchObject({ cause: 'ambiguous' });
  });

  it('assigns the transaction after the bare request has another transaction', async () => {
    const payment = await anUnknownPayment(under);
    const money = { currency: 'KES', amountMinor: '10000', payerHash: phoneHash(PHONE) };
    const resource = 'incoming-payments';
    await store.bareRequests.keep('default', {
      id: 'bare-1',
      resource,
      platformId: 'x',
      sentAt: sent,
      money,
    });
    const own = aTransaction({
      reference: 'BARES',
      originationTime: new Date(sent.getTime() + MINUTE).toISOString(),
    });
    const subject = { account: 'default', stream: 'x', via: 'callback' } as const;
    const incomingPayment = anIncomingPayment('x', 'Success', own);
    const event = deliveryEvent('incoming-payment.completed', subject, { incomingPayment });
    await under.bareResults.commit(event, 'bare-1', own);
    await received('MINE', 2);
    expect(await match(payment)).toMatchObject({ transaction: { reference: 'MINE' } });
  });

  it('finds the transaction behind a hundred of the same amount at other tills without a payer', async () => {
    const payment = await anUnknownPayment(under);
    const hidden = { tillNumber: '999999', senderPhoneNumber: null };
    for (let n = 0; n < 100; n += 1) await received(`OTHER${n}`, 0.1, hidden);
    await received('MINE', 5);
    expect(await match(payment)).toMatchObject({ cause: 'ambiguous' });
  });

  it('counts a rival at another till number, which may be the same till without an alias', async () => {
    const payment = await anUnknownPayment(under, {
      tillNumber: '514459',
      tills: ['514459', 'K000123'],
    });
    await anUnknownPayment(under, { tillNumber: 'K000777', tills: ['K000777'] });
    await received('ONE', 1, { tillNumber: 'K000123' });
    expect(await match(payment)).toMatchObject({ cause: 'ambiguous' });
  });

  it('sends the payment to review when the payer also paid at another till number, which may be the same till', async () => {
    const payment = await anUnknownPayment(under);
    await received('ONE');
    await received('TWO', 2, { tillNumber: 'K000123' });
    expect(await match(payment)).toMatchObject({ cause: 'ambiguous' });
  });

  it('sends the payment to review when the transaction has no reference', async () => {
    const payment = await anUnknownPayment(under);
    await received('ONE', 1, { reference: null, id: 't1' });
    expect(await match(payment)).toMatchObject({ cause: 'ambiguous', transaction: null });
  });

  it('does not assign a transaction that the platform showed for a bare request, from any payer', async () => {
    const payment = await anUnknownPayment(under);
    await received('ONE');
    const incomingPayment = anIncomingPayment('x', 'Success', aTransaction({ reference: 'ONE' }));
    const subject = { account: 'default', stream: 'x', via: 'callback' } as const;
    const event = deliveryEvent('incoming-payment.completed', subject, { incomingPayment });
    await under.bareResults.commit(event, 'bare-1', incomingPayment.event.resource);
    expect(await match(payment)).toMatchObject({ cause: 'no_evidence', transaction: null });
  });

  it('does not assign a transaction that was reversed', async () => {
    const payment = await anUnknownPayment(under);
    await received('ONE');
    await under.tills.observe(anObservedTransaction(aTransaction({ status: 'Reversed' })));
    expect(await match(payment)).toMatchObject({ state: 'needs_review', cause: 'reversed' });
  });
});
