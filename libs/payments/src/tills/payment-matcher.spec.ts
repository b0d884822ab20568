import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { deliveryEvent } from '../store/deliveries.events.js';
import type { PaymentRecord } from '../operations/payments/payment.js';
import { PlatformRejectedError } from '../payments.errors.js';
import type { IncomingPayment } from '../platform/resources/incoming-payments/incoming-payment.resource.js';
import type { Transaction } from '../money/transaction.js';
import { MemoryStore } from '../store/memory/memory.store.js';
import {
  aLedger,
  applied,
  anIncomingPayment,
  anObservedTransaction,
  anUnknownPayment,
  aPendingPayment,
  aRequestedPayment,
  aTransaction,
  SETTINGS,
  type LedgerUnderTest,
  resourcesWith,
} from '../testing/ledger.fixture.js';
import { MovedRuntime } from '../testing/moved.runtime.js';
import { matcherOf } from '../testing/operation-parts.fixture.js';
import { phoneHash } from '../money/phone-number.js';
import type { PaymentMatcher } from './payment-matcher.js';
import type { Swept } from './unread-money.js';

Logger.overrideLogger(false);

const MINUTE = 60_000;
const PHONE = '+254700000001';
/** Sweeps have read all tills, and all that they found. */
const SWEPT: Swept = { account: 'default', till: null, unread: [] };

describe('matching a payment without a platform id', () => {
  let runtime: MovedRuntime;
  let store: MemoryStore;
  let under: LedgerUnderTest;
  let matcher: PaymentMatcher;
  /** The answers of the platform to reads, by platform id; 404 for any other. */
  let answers: Map<string, IncomingPayment>;
  let sent: Date;

  beforeEach(() => {
    runtime = new MovedRuntime();
    store = new MemoryStore(() => runtime.now());
    answers = new Map();
    const resources = resourcesWith({
      incomingPayments: {
        get: async (id: string) => {
          const answer = answers.get(id);
          if (answer) return answer;
          throw new PlatformRejectedError({ operation: 'get', status: 404, platformMessages: [] });
        },
      },
    });
    under = aLedger(
      store,
      { reconciliation: { ...SETTINGS.reconciliation, requestsPerSecond: 1_000 } },
      runtime,
      resources,
    );
    matcher = matcherOf(under, runtime);
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

  const match = (payment: PaymentRecord): Promise<PaymentRecord> =>
    matcher.match(payment, SWEPT, 'overdue');

  it('assigns no transaction to a payment that may have been sent before a restore, because nobody knows when', async () => {
    const payment = await anUnknownPayment(under);
    await received('ONE');
    expect(await match({ ...payment, sender: null })).toMatchObject({
      state: 'needs_review',
      cause: 'ambiguous',
      causeDetail: 'transaction ONE fits, and nobody knows when the payment was sent',
    });
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
    [-2, 'succeeded'],
    [15, 'succeeded'],
    [-2.1, 'unknown'],
    [15.1, 'unknown'],
  ])('of a transaction %p minutes after sending makes the payment %s', async (minutes, state) => {
    const payment = await anUnknownPayment(under);
    await received('ONE', minutes);
    expect(await match(payment)).toMatchObject({ state });
  });

  it.each([
    ['another number', { senderPhoneNumber: '+254700000002' }],
    ['another till', { tillNumber: '999999' }],
    ['another amount', { amount: '99.00' }],
  ])('does not assign a transaction with %s', async (_, changes) => {
    const payment = await anUnknownPayment(under);
    await received('ONE', 1, changes);
    expect(await match(payment)).toMatchObject({ state: 'unknown' });
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
    const due = await store.operations.claimDue(['default'], {
      followed: true,
      limit: 10,
      leaseMs: 1_000,
      sendLeaseMs: 1_000,
    });
    expect(due.map(({ id }) => id)).toEqual([one.id]);
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

  it('reads a rival, and accepts a denial that is late enough', async () => {
    const payment = await anUnknownPayment(under);
    await aPendingPayment(under, 'rival');
    await received('ONE');
    answers.set('rival', anIncomingPayment('rival', 'Failed', null, ['cancelled']));
    runtime.advance(MINUTE);
    expect(await match(payment)).toMatchObject({ cause: 'ambiguous' });
    runtime.advance(2 * MINUTE);
    expect(await match(await under.ledger.find(payment))).toMatchObject({ state: 'succeeded' });
  });

  it('reads a rival once, and later only a rival without its own schedule', async () => {
    const payment = await anUnknownPayment(under);
    await aPendingPayment(under, 'open');
    const failed = await aPendingPayment(under, 'failed');
    const cancelled = anIncomingPayment('failed', 'Failed', null, ['cancelled']);
    await applied(under, failed, cancelled, 'callback');
    await received('ONE');
    const reads: string[] = [];
    const get = answers.get.bind(answers);
    answers.get = (id) => {
      reads.push(id);
      return get(id);
    };
    await match(payment);
    expect(reads.splice(0).sort()).toEqual(['failed', 'open']);
    await matcher.match(await under.ledger.find(payment), SWEPT, 'follow-up');
    expect(reads).toEqual(['failed']);
  });

  it('dates a denial by the start of the read, not by the time of its record', async () => {
    const payment = await anUnknownPayment(under);
    await aPendingPayment(under, 'rival');
    await received('ONE', 0);
    const failed = anIncomingPayment('rival', 'Failed', null, ['cancelled']);
    answers.set('rival', failed);
    const get = answers.get.bind(answers);
    answers.get = (id) => {
      // The answer takes minutes.
      runtime.advance(5 * MINUTE);
      return get(id);
    };
    runtime.advance(20_000);
    expect(await match(payment)).toMatchObject({ cause: 'ambiguous' });
  });

  it('makes the payment due again when a rival settles meanwhile', async () => {
    const payment = await anUnknownPayment(under);
    const rival = await anUnknownPayment(under);
    await received('ONE');
    const due = { followed: true, limit: 10, leaseMs: 1_000, sendLeaseMs: 1_000 };
    await store.operations.claimDue(['default'], { ...due, followed: false });
    const commit = store.ledger.commit.bind(store.ledger);
    store.ledger.commit = async (changes) => {
      store.ledger.commit = commit;
      await under.ledger.review(rival, 'ambiguous', 'two fit');
      await under.ledger.resolve(rival, { state: 'failed', by: 'ops', note: 'asked' });
      return commit(changes);
    };
    await match(payment);
    const claimed = await store.operations.claimDue(['default'], due);
    expect(claimed.map(({ id }) => id)).toContain(payment.id);
  });

  it('is blocked by a rival that cannot be read only if the transaction may come from its phone', async () => {
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
    expect(await matcher.isSurelyUnpaid(payment, SWEPT)).toBe(false);
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
    expect(await match(payment)).toMatchObject({ state: 'unknown', transaction: null });
  });

  it('does not assign a transaction that was reversed', async () => {
    const payment = await anUnknownPayment(under);
    await received('ONE');
    await under.tills.observe(anObservedTransaction(aTransaction({ status: 'Reversed' })));
    expect(await match(payment)).toMatchObject({ state: 'needs_review', cause: 'reversed' });
  });
});
