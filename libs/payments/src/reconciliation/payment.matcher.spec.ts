import { createHash, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { BackgroundPacer } from '../http/background.pacer.js';
import { ClosingSignal } from '../http/closing.signal.js';
import { PlatformClock } from '../http/platform.clock.js';
import { newEvent } from '../ledger/ledger.events.js';
import { LedgerFeed } from '../ledger/ledger.feed.js';
import { Ledger } from '../ledger/ledger.js';
import { MemoryStore } from '../ledger/memory/memory.store.js';
import { PaymentReader } from '../ledger/payment.reader.js';
import type { PaymentRecord } from '../ledger/payment.js';
import type { NewPayment } from '../ledger/payments.store.js';
import { PlatformRejectedError } from '../payments.errors.js';
import type { IncomingPayment } from '../resources/incoming-payments/incoming-payment.resource.js';
import { IncomingPaymentsService } from '../resources/incoming-payments/incoming-payments.service.js';
import type { Transaction } from '../resources/transaction.resource.js';
import { Runtime } from '../runtime/runtime.js';
import {
  aNewPayment,
  anIncomingPayment,
  aTransaction,
  SETTINGS,
} from '../testing/ledger.fixture.js';
import { phoneHash } from '../values/phone-number.js';
import { PaymentMatcher } from './payment.matcher.js';

Logger.overrideLogger(false);

const MINUTE = 60_000;
const PHONE = '+254700000001';

/** A clock that the test moves. */
class MovedRuntime extends Runtime {
  time = Date.UTC(2026, 0, 20, 12);
  override now(): number {
    return this.time;
  }
}

describe('matching a payment of which the platform never gave an id', () => {
  let runtime: MovedRuntime;
  let store: MemoryStore;
  let ledger: Ledger;
  let matcher: PaymentMatcher;
  /** What the platform answers to a read, by its id; 404 for what is not there. */
  let answers: Map<string, IncomingPayment>;
  let sent: Date;

  beforeEach(() => {
    runtime = new MovedRuntime();
    store = new MemoryStore(() => runtime.now());
    const closing = new ClosingSignal(runtime);
    const clock = new PlatformClock(runtime);
    ledger = new Ledger(store, new LedgerFeed(closing), clock, SETTINGS);
    answers = new Map();
    const platform = {
      get: async (id: string) => {
        const answer = answers.get(id);
        if (answer) return answer;
        throw new PlatformRejectedError({ operation: 'get', status: 404, platformMessages: [] });
      },
    } as unknown as IncomingPaymentsService;
    const options = {
      ...SETTINGS,
      reconciliation: { ...SETTINGS.reconciliation, requestsPerSecond: 1_000 },
    };
    const pacer = new BackgroundPacer(closing, options, runtime);
    const reader = new PaymentReader(platform, ledger, pacer, clock);
    matcher = new PaymentMatcher(store, ledger, reader, options);
    sent = new Date(runtime.now());
  });

  const asked = async (changes: Partial<NewPayment> = {}): Promise<PaymentRecord> => {
    const result = await store.recordPayment(aNewPayment(changes), { sendBeforeMs: MINUTE });
    if (result.kind !== 'recorded') throw new Error(result.kind);
    return (await ledger.markRequested(result.payment, randomUUID(), 1_000)) as PaymentRecord;
  };

  const unknown = async (changes: Partial<NewPayment> = {}): Promise<PaymentRecord> =>
    ledger.giveUpOnAnswer((await asked(changes)).id);

  const withId = async (platformId: string, changes: Partial<NewPayment> = {}) =>
    ledger.takeAnswer(await asked(changes), { kind: 'created', id: platformId });

  const received = async (
    reference: string,
    minutes: number | null = 1,
    changes: Partial<Transaction> = {},
  ): Promise<void> => {
    const at = minutes === null ? 'some time' : new Date(sent.getTime() + minutes * MINUTE);
    await ledger.observeTransaction({
      via: 'sweep',
      transaction: aTransaction({
        reference,
        originationTime: typeof at === 'string' ? at : at.toISOString(),
        ...changes,
      }),
      reversal: false,
      webhookEventId: null,
      announce: true,
    });
  };

  const match = (payment: PaymentRecord): Promise<PaymentRecord> =>
    matcher.match(payment, 'overdue');

  it('gives it the money that fits it alone', async () => {
    const payment = await unknown();
    await received('ONE');
    await received('TWO', 16);
    expect(await match(payment)).toMatchObject({
      state: 'succeeded',
      transaction: { reference: 'ONE' },
    });
    const record = await store.findTransaction('default', 'ONE');
    expect(record?.sums).toMatchObject([{ paymentId: payment.id }]);
  });

  it.each([
    [-2, 'succeeded'],
    [15, 'succeeded'],
    [-2.1, 'unknown'],
    [15.1, 'unknown'],
    [null, 'unknown'],
  ])('takes money that originated %p minutes after sending as %s', async (minutes, state) => {
    const payment = await unknown();
    await received('ONE', minutes);
    expect(await match(payment)).toMatchObject({ state });
  });

  it.each([
    ['another number', { senderPhoneNumber: '+254700000002' }],
    [
      'the hash of another number',
      {
        senderPhoneNumber: null,
        hashedSenderPhone: createHash('sha256').update('254700000002').digest('hex'),
      },
    ],
    ['another till', { tillNumber: '999999' }],
    ['another amount', { amount: '99.00' }],
  ])('gives it no money that shows %s', async (_, changes) => {
    const payment = await unknown();
    await received('ONE', 1, changes);
    expect(await match(payment)).toMatchObject({ state: 'unknown' });
  });

  it('takes the hash of its payer for its payer', async () => {
    const payment = await unknown();
    const hashedSenderPhone = phoneHash(PHONE).toUpperCase();
    await received('ONE', 1, { senderPhoneNumber: null, hashedSenderPhone });
    expect(await match(payment)).toMatchObject({ state: 'succeeded' });
  });

  it('leaves it to a person when its money was reported at two tills', async () => {
    const payment = await unknown();
    await received('ONE', 1, { tillNumber: '777777' });
    await received('ONE');
    expect(await match(payment)).toMatchObject({ cause: 'ambiguous' });
  });

  it('leaves it to a person when two sums fit', async () => {
    const payment = await unknown();
    await received('ONE');
    await received('TWO', 2);
    expect(await match(payment)).toMatchObject({
      state: 'needs_review',
      cause: 'ambiguous',
      causeDetail: '2 transactions fit this payment',
    });
  });

  it.each([
    ['is masked', { senderPhoneNumber: '+2547****001' }],
    ['is a short code', { senderPhoneNumber: '600123' }],
    ['is missing', { senderPhoneNumber: null }],
  ])('leaves it to a person when the payer of the money %s', async (_, changes) => {
    const payment = await unknown();
    await received('ONE', 1, changes);
    expect(await match(payment)).toMatchObject({
      cause: 'ambiguous',
      causeDetail: 'transaction ONE fits, and does not show who paid it',
    });
  });

  it('gives money that fits two payments to neither, in whatever order they are matched', async () => {
    const one = await unknown();
    const two = await unknown();
    await received('ONE');
    expect(await match(one)).toMatchObject({ cause: 'ambiguous' });
    expect(await match(two)).toMatchObject({ cause: 'ambiguous' });
  });

  it('gives it the money once a person has decided its rival', async () => {
    const one = await unknown();
    const two = await unknown();
    await received('ONE');
    await match(one);
    await match(two);
    await ledger.resolve(two.id, { state: 'failed', by: 'ops', note: 'asked by phone' });
    const due = await store.claimDuePayments('default', {
      followed: true,
      limit: 10,
      leaseMs: 1_000,
      sendLeaseMs: 1_000,
    });
    expect(due.map(({ id }) => id)).toEqual([one.id]);
    expect(await match(await ledger.payment(one.id))).toMatchObject({ state: 'succeeded' });
  });

  it('gives it the money when its rival has other money, is of another time, or was refused', async () => {
    const payment = await unknown();
    const paid = await withId('paid');
    const other = aTransaction({ reference: 'OTHER' });
    await ledger.takeIncomingPayment(
      paid.id,
      anIncomingPayment('paid', 'Success', other),
      'status',
    );
    const refused = await asked();
    await ledger.takeAnswer(refused, {
      kind: 'rejected',
      error: new PlatformRejectedError({ operation: 'create', status: 422, platformMessages: [] }),
    });
    runtime.time += 60 * MINUTE;
    await unknown();
    await received('ONE');
    expect(await match(payment)).toMatchObject({ state: 'succeeded' });
  });

  it('asks a rival that can be read, and believes a denial that is late enough to know', async () => {
    const payment = await unknown();
    await withId('rival');
    await received('ONE');
    answers.set('rival', anIncomingPayment('rival', 'Failed', null, ['cancelled']));
    runtime.time += MINUTE;
    expect(await match(payment)).toMatchObject({ cause: 'ambiguous' });
    runtime.time += 2 * MINUTE;
    expect(await match(await ledger.payment(payment.id))).toMatchObject({ state: 'succeeded' });
  });

  it('asks a rival once, and at later looks only one that is not read on a schedule of its own', async () => {
    const payment = await unknown();
    await withId('open');
    const failed = await withId('failed');
    const cancelled = anIncomingPayment('failed', 'Failed', null, ['cancelled']);
    await ledger.takeIncomingPayment(failed.id, cancelled, 'callback');
    await received('ONE');
    const reads: string[] = [];
    const get = answers.get.bind(answers);
    answers.get = (id) => {
      reads.push(id);
      return get(id);
    };
    await match(payment);
    expect(reads.splice(0).sort()).toEqual(['failed', 'open']);
    await matcher.match(await ledger.payment(payment.id), 'follow-up');
    expect(reads).toEqual(['failed']);
  });

  it('believes a denial by when the platform was asked, not by when its answer was written', async () => {
    const payment = await unknown();
    await withId('rival');
    await received('ONE', 0);
    const failed = anIncomingPayment('rival', 'Failed', null, ['cancelled']);
    answers.set('rival', failed);
    const get = answers.get.bind(answers);
    answers.get = (id) => {
      // The answer is minutes under way.
      runtime.time += 5 * MINUTE;
      return get(id);
    };
    runtime.time += 20_000;
    expect(await match(payment)).toMatchObject({ cause: 'ambiguous' });
  });

  it('is made due again by a rival that leaves while it is being judged', async () => {
    const payment = await unknown();
    const rival = await unknown();
    await received('ONE');
    const due = { followed: true, limit: 10, leaseMs: 1_000, sendLeaseMs: 1_000 };
    await store.claimDuePayments('default', { ...due, followed: false });
    const commit = store.commit.bind(store);
    store.commit = async (change) => {
      store.commit = commit;
      await ledger.review(rival.id, 'ambiguous', 'two fit');
      await ledger.resolve(rival.id, { state: 'failed', by: 'ops', note: 'asked' });
      return commit(change);
    };
    await match(payment);
    const claimed = await store.claimDuePayments('default', due);
    expect(claimed.map(({ id }) => id)).toContain(payment.id);
  });

  it('is blocked by a rival that cannot be read only where the money may be of its phone', async () => {
    const payment = await unknown();
    const phoneNumber = '+254700000002';
    await withId('gone', { subscriber: { firstName: 'J', lastName: 'D', phoneNumber } });
    await received('ONE');
    expect(await match(payment)).toMatchObject({ state: 'succeeded' });
    const second = await unknown();
    await withId('gone too');
    await received('TWO');
    expect(await match(second)).toMatchObject({ cause: 'ambiguous' });
  });

  it('finds its money and its rivals among 300 payments of one price', async () => {
    const payments: PaymentRecord[] = [];
    for (let n = 0; n < 300; n += 1) {
      const phoneNumber = `+2547001${String(n).padStart(5, '0')}`;
      payments.push(await unknown({ subscriber: { firstName: 'J', lastName: 'D', phoneNumber } }));
      await received(`REF${n}`, 1, { senderPhoneNumber: phoneNumber });
    }
    for (const [n, payment] of payments.entries()) {
      expect(await match(payment)).toMatchObject({ transaction: { reference: `REF${n}` } });
    }
  });

  it('leaves money to a person that may be of a request which the host made itself', async () => {
    const payment = await unknown();
    await store.keepBareRequest('default', {
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

  it('gives it the money once the request of the host itself has other money', async () => {
    const payment = await unknown();
    const money = { currency: 'KES', amountMinor: '10000', payerHash: phoneHash(PHONE) };
    const resource = 'incoming-payments';
    await store.keepBareRequest('default', {
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
    const event = newEvent('incoming-payment.completed', subject, { incomingPayment });
    await ledger.takeBareResult(event, 'bare-1', own);
    await received('MINE', 2);
    expect(await match(payment)).toMatchObject({ transaction: { reference: 'MINE' } });
  });

  it('finds its money behind a hundred of the same price at other tills that do not show who paid', async () => {
    const payment = await unknown();
    const hidden = { tillNumber: '999999', senderPhoneNumber: null };
    for (let n = 0; n < 100; n += 1) await received(`OTHER${n}`, 0.1, hidden);
    expect(await matcher.isSurelyUnpaid(payment)).toBe(false);
    await received('MINE', 5);
    expect(await match(payment)).toMatchObject({ cause: 'ambiguous' });
  });

  it('counts a rival of another till: it may be the same till under a number that no alias names', async () => {
    const payment = await unknown({ tillNumber: '514459', tills: ['514459', 'K000123'] });
    await unknown({ tillNumber: 'K000777', tills: ['K000777'] });
    await received('ONE', 1, { tillNumber: 'K000123' });
    expect(await match(payment)).toMatchObject({ cause: 'ambiguous' });
  });

  it('leaves it to a person when other money of that payer came to another till: it may be the same till', async () => {
    const payment = await unknown();
    await received('ONE');
    await received('TWO', 2, { tillNumber: 'K000123' });
    expect(await match(payment)).toMatchObject({ cause: 'ambiguous' });
  });

  it('leaves money to a person that has no reference to be known by', async () => {
    const payment = await unknown();
    await received('ONE', 1, { reference: null, id: 't1' });
    expect(await match(payment)).toMatchObject({ cause: 'ambiguous', transaction: null });
  });

  it('gives a payment no money that the platform showed for a request of the host, whoever paid it', async () => {
    const payment = await unknown();
    await received('ONE');
    const incomingPayment = anIncomingPayment('x', 'Success', aTransaction({ reference: 'ONE' }));
    const subject = { account: 'default', stream: 'x', via: 'callback' } as const;
    const event = newEvent('incoming-payment.completed', subject, { incomingPayment });
    await ledger.takeBareResult(event, 'bare-1', incomingPayment.event.resource);
    expect(await match(payment)).toMatchObject({ state: 'unknown', transaction: null });
  });

  it('gives money that went back to nobody', async () => {
    const payment = await unknown();
    await received('ONE');
    await ledger.observeTransaction({
      via: 'webhook',
      transaction: aTransaction({ reference: 'ONE', status: 'Reversed' }),
      reversal: true,
      webhookEventId: null,
      announce: true,
    });
    expect(await match(payment)).toMatchObject({ state: 'needs_review', cause: 'reversed' });
  });
});
