import { describe, expect, it } from '@jest/globals';
import {
  phoneHash,
  type PaymentRecord,
  type PaymentState,
  type PaymentsStore,
  type UntiedQuery,
} from '@tillkit/payments/internal/store';
import {
  aDelivery,
  aPayment,
  aSum,
  aTransaction,
  anEvent,
  changed,
  claimCalls,
  newAccount,
  record,
  recorded,
  times,
  commitEvents,
  transactionChange,
  type StoreUnderTest,
  commitTo,
  newEvent,
} from './store-under-test.js';

const DAY = 86_400_000;
const POLICY = { personalDataMs: 90 * DAY, dedupeForMs: 5 * 365 * DAY, limit: 1_000 };
const EVER = {
  measures: ['movement'],
  boundaries: [new Date('2000-01-01'), new Date('2400-01-01')],
} as const;
const COUNTED = {
  measure: 'movement',
  kind: '',
  name: 'received',
  till: '514459',
  currency: 'KES',
  count: 1,
  minor: '100',
  at: null,
} as const;
const SENT = new Date('2026-01-20T22:45:00.000Z');
const NOBODY = { firstName: '', lastName: '', phoneNumber: '' };

async function finished(
  store: PaymentsStore,
  account: string,
  state: PaymentState = 'succeeded',
): Promise<{ id: string; idempotencyKey: string }> {
  const payment = await recorded(store, aPayment(account));
  const set = {
    state,
    platformId: `platform-${payment.id}`,
    transaction: aTransaction(),
    sentAt: SENT,
    errors: ['refused for +254700000001'],
    causeDetail: 'asked of +254700000001',
  };
  return changed(store, payment, set, {
    history: [{ via: 'callback', what: 'state', detail: state }],
  });
}

export function describeRetention(current: () => StoreUnderTest): void {
  describe('retention', () => {
    it('redacts and deletes no recent rows', async () => {
      const { store } = current();
      const account = newAccount();
      const { id } = await finished(store, account);
      expect(await store.retention.apply(account, POLICY)).toEqual({ redacted: 0, deleted: 0 });
      expect(await store.operations.find(account, id)).not.toMatchObject({ subscriber: NOBODY });
    });

    it.each(['succeeded', 'failed', 'reversed'] as const)(
      'redacts names and phone numbers of a payment that is %s, and keeps its other fields',
      async (state) => {
        const { store, advance } = current();
        const account = newAccount();
        const { id } = await finished(store, account, state);
        await advance(POLICY.personalDataMs);
        const { redacted } = await store.retention.apply(account, POLICY);
        expect(redacted).toBeGreaterThan(0);
        const after = await store.operations.find(account, id);
        expect(after).toMatchObject({
          state,
          subscriber: NOBODY,
          metadata: null,
          errors: [],
          causeDetail: null,
          platformId: `platform-${id}`,
          transaction: {
            reference: 'OJM6Q1W84K',
            amount: '100.00',
            senderPhoneNumber: null,
            raw: {},
          },
        });
        expect(await store.operations.history(account, id)).toEqual([]);
        expect(await store.retention.apply(account, POLICY)).toEqual({ redacted: 0, deleted: 0 });
      },
    );

    it.each(['created', 'requested', 'pending', 'unknown', 'needs_review'] as const)(
      'never changes a payment that is %s',
      async (state) => {
        const { store, advance } = current();
        const account = newAccount();
        const payment = await recorded(store, aPayment(account));
        await changed(store, payment, { state });
        await advance(POLICY.dedupeForMs * 2);
        expect(await store.retention.apply(account, POLICY)).toEqual({ redacted: 0, deleted: 0 });
        expect(await store.operations.find(account, payment.id)).toMatchObject({
          state,
          subscriber: payment.subscriber,
          metadata: payment.metadata,
        });
      },
    );

    it('keeps idempotency keys, references of transactions and ids of events', async () => {
      const { store, advance } = current();
      const account = newAccount();
      await store.events.registerListeners(
        account,
        [{ event: 'delivery.unrecognised', listener: 'a' }],
        'start',
      );
      const { id, idempotencyKey } = await finished(store, account);
      await commitTo(store, transactionChange(account, 'R1', null, [aSum({ paymentId: id })]));
      const event = anEvent(account, 'stream');
      await commitEvents(store, account, event);
      for (const call of await claimCalls(store, account, ['a'], 10, 60_000)) {
        await store.events.finishCall(call, { kind: 'done' });
      }
      await advance(POLICY.personalDataMs);
      await store.retention.apply(account, POLICY);

      expect(await record(store, aPayment(account, { idempotencyKey }))).toMatchObject({
        kind: 'existing',
        operation: { id, state: 'succeeded' },
      });
      expect(await store.transactions.find(account, 'R1')).toMatchObject({
        sums: [{ paymentId: id }],
      });
      const again = transactionChange(account, 'R1', null);
      expect(await commitTo(store, again)).toBeNull();
      await commitEvents(store, account, event);
      expect(await claimCalls(store, account, ['a'], 10, 60_000)).toEqual([]);
    });

    it('redacts payers, names and phone numbers of transactions, and keeps their amounts', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const sums = [
        aSum({
          tills: ['1'],
          paymentId: 'payment',
          received: aTransaction({ kind: 'card', cardNumber: '1111', settled: true }),
        }),
        aSum({ tills: ['2'], received: null, reversal: aTransaction({ status: 'Reversed' }) }),
      ];
      await commitTo(store, transactionChange(account, 'R1', null, sums));
      await advance(POLICY.personalDataMs);
      await store.retention.apply(account, POLICY);
      const nobody = {
        senderFirstName: null,
        senderMiddleName: null,
        senderLastName: null,
        senderPhoneNumber: null,
        hashedSenderPhone: null,
        cardNumber: null,
        raw: {},
      };
      const after = await store.transactions.find(account, 'R1');
      expect(after?.sums).toEqual([
        {
          ...sums[0],
          payerHash: null,
          received: aTransaction({ ...nobody, kind: 'card', settled: true }),
        },
        { ...sums[1], payerHash: null, reversal: aTransaction({ ...nobody, status: 'Reversed' }) },
      ]);
      expect(after).toMatchObject({ version: 2, redacted: true });
      // A decision on what was known before the redaction would write the persons again.
      expect(await commitTo(store, transactionChange(account, 'R1', 1, sums))).toBeNull();
      // The store keeps what it is given, and redacts it again: that nothing names a person is the work of the ledger.
      await commitTo(store, transactionChange(account, 'R1', 2, sums));
      expect((await store.transactions.find(account, 'R1'))?.sums).toEqual(sums);
      await store.retention.apply(account, POLICY);
      expect((await store.transactions.find(account, 'R1'))?.sums).toMatchObject([
        { payerHash: null },
        { payerHash: null },
      ]);
      await advance(POLICY.dedupeForMs);
      await store.retention.apply(account, POLICY);
      expect(await store.transactions.find(account, 'R1')).toBeNull();
    });

    it('leaves no value by which a redacted payment can be found by its phone number', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const { id } = await finished(store, account, 'failed');
      const { subscriber } = (await store.operations.find(account, id)) as PaymentRecord;
      const { phoneNumber } = subscriber;
      const query = {
        currency: 'KES',
        amountMinor: '10000',
        payerHash: phoneHash(phoneNumber),
        sentFrom: SENT,
        anybodySentFrom: SENT,
        sentTo: SENT,
      };
      const found = async (): Promise<[number, number]> => [
        (await store.operations.findCandidates(account, query)).length,
        (await store.operations.list(account, { phoneNumber }, { limit: 10 })).items.length,
      ];
      expect(await found()).toEqual([1, 1]);
      await advance(POLICY.personalDataMs);
      await store.retention.apply(account, POLICY);
      expect(await found()).toEqual([0, 0]);
    });

    it('leaves no value by which a redacted transaction can be found by its payer', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const payerHash = phoneHash('+254700000001');
      const sum = aSum({ originatedAt: SENT, payerHash });
      await commitTo(store, transactionChange(account, 'R1', null, [sum]));
      const { currency, amountMinor } = sum;
      const query = { currency, amountMinor, payerHash, from: SENT, to: SENT } as UntiedQuery;
      expect(await store.transactions.findUntied(account, query)).toHaveLength(1);
      await advance(POLICY.personalDataMs);
      await store.retention.apply(account, POLICY);
      // The transaction may still be found as one of an unknown payer.
      const other = { ...query, payerHash: phoneHash('+254700000002') };
      const [byAnother] = await store.transactions.findUntied(account, other);
      expect(byAnother?.sums).toMatchObject([{ payerHash: null }]);
    });

    it('deletes finished deliveries, and no waiting ones', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const [done, waiting] = [aDelivery(account), aDelivery(account)];
      await store.deliveries.store(done);
      const [claim] = await store.deliveries.claim([account], 'webhook', 1, 60_000);
      if (claim) await store.deliveries.finish(claim, { kind: 'done' });
      await store.deliveries.store(waiting);
      await advance(POLICY.personalDataMs + 1);
      await store.retention.apply(account, POLICY);
      expect(await store.deliveries.find(account, done.id)).toBeNull();
      expect(await store.deliveries.find(account, waiting.id)).toMatchObject({
        body: waiting.body,
      });
      expect(await store.deliveries.store(done)).toEqual({ duplicate: false, claimed: null });
    });

    it('deletes the listener calls of an event when it redacts the event, and keeps its amount', async () => {
      const { store, advance } = current();
      const account = newAccount();
      await store.events.registerListeners(
        account,
        [{ event: 'delivery.unrecognised', listener: 'a' }],
        'start',
      );
      const event = { ...anEvent(account, 'stream'), amount: 'KES 100' };
      await commitEvents(store, account, event);
      const [call] = await claimCalls(store, account, ['a'], 1, 60_000);
      if (call) await store.events.finishCall(call, { kind: 'done' });
      const calls = async (): Promise<number[]> =>
        (await store.events.list(account, 'stream')).map(({ calls }) => calls.length);
      expect(await calls()).toEqual([1]);
      await advance(POLICY.personalDataMs);
      await store.retention.apply(account, POLICY);
      expect(await calls()).toEqual([0]);
      expect(await store.ledger.amountOf(account, event.id)).toBe('KES 100');
      await advance(POLICY.dedupeForMs);
      await store.retention.apply(account, POLICY);
      expect(await calls()).toEqual([]);
    });

    it('keeps events whose calls wait or are dead letters', async () => {
      const { store, advance } = current();
      const account = newAccount();
      await store.events.registerListeners(
        account,
        [{ event: 'delivery.unrecognised', listener: 'a' }],
        'start',
      );
      const [dead, waiting] = [anEvent(account, 'dead'), anEvent(account, 'waiting')];
      await commitEvents(store, account, dead, waiting);
      const [call] = await claimCalls(store, account, ['a'], 1, 60_000);
      if (call) await store.events.finishCall(call, { kind: 'given_up', error: 'no' });
      await advance(POLICY.dedupeForMs + 1);
      await store.retention.apply(account, POLICY);
      await store.retention.apply(account, POLICY);
      expect(await store.events.replayDeadLetters(account)).toHaveLength(1);
      const calls = await claimCalls(store, account, ['a'], 10, 60_000);
      const payloads = new Map(calls.map(({ eventId, payload }) => [eventId, payload]));
      const late = { ...dead.payload, late: true };
      expect(payloads).toEqual(
        new Map<string, unknown>([
          [dead.id, late],
          [waiting.id, waiting.payload],
        ]),
      );
    });

    it('redacts the payer in events whose calls have not succeeded for thirty days, and keeps their other fields', async () => {
      const { store, advance } = current();
      const account = newAccount();
      await store.events.registerListeners(
        account,
        [
          { event: 'till.transaction.received', listener: 'failed' },
          { event: 'till.transaction.received', listener: 'gone' },
        ],
        'start',
      );
      const subject = { account, stream: 'money:R1', via: 'webhook' } as const;
      const content = {
        transaction: aTransaction(),
        webhookEventId: null,
        paymentId: 'p1',
        paymentLinkId: null,
      };
      await commitEvents(store, account, newEvent('till.transaction.received', subject, content));
      const short = { ...POLICY, personalDataMs: 1 };
      const [call] = await claimCalls(store, account, ['failed'], 1, 60_000);
      await advance(DAY);
      const payloads = async (): Promise<unknown[]> => {
        const calls = await claimCalls(store, account, ['failed', 'gone'], 10, 1);
        await advance(1);
        return calls.map(({ payload }) => payload);
      };
      if (call) await store.events.finishCall(call, { kind: 'given_up', error: 'no Jane' });
      await advance(29 * DAY);
      await store.retention.apply(account, short);
      expect(await store.events.replayDeadLetters(account)).toHaveLength(call ? 1 : 0);
      expect(await payloads()).toMatchObject([content, content]);
      await advance(30 * DAY);
      await store.retention.apply(account, short);
      const nobody = { senderFirstName: null, senderPhoneNumber: null, raw: {} };
      const { reference, amount } = aTransaction();
      const kept = { paymentId: 'p1', transaction: { reference, amount, ...nobody } };
      expect(await payloads()).toMatchObject([kept, kept]);
      const calls = (await store.events.list(account, 'money:R1')).flatMap((event) => event.calls);
      expect(calls.map(({ lastError }) => lastError)).not.toContain('no Jane');
      await advance(POLICY.dedupeForMs);
      await store.retention.apply(account, POLICY);
      expect(await payloads()).toHaveLength(2);
    });

    it('deletes rows that are older than dedupeForMs', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const { id, idempotencyKey } = await finished(store, account);
      await advance(POLICY.dedupeForMs);
      let deleted = 0;
      for (const _ of times(2, () => 0))
        deleted += (await store.retention.apply(account, POLICY)).deleted;
      expect(deleted).toBeGreaterThan(0);
      expect(await store.operations.find(account, id)).toBeNull();
      expect((await record(store, aPayment(account, { idempotencyKey }))).kind).toBe('recorded');
    });

    it('deletes what is counted and noted: anomalies as deliveries, totals and pauses as what they count', async () => {
      const { store, advance } = current();
      const [account, other] = [newAccount(), newAccount()];
      const kept = async (): Promise<unknown> => ({
        anomalies: (await store.anomalies.list(account)).length,
        totals: (await store.totals.read(account, EVER)).length > 0,
        pauses: (await store.pauses.history(account, 10)).length,
      });
      for (const each of [account, other]) {
        await store.anomalies.record(each, 'unknown status Odd', 'one');
        await store.pauses.pause(each, 'jane', 'why');
        await store.pauses.resume(each, 'jane', 'why');
      }
      const { transaction, ...change } = transactionChange(account, 'T1', null);
      await commitTo(store, { ...change, transaction: { ...transaction!, totals: [COUNTED] } });
      await store.retention.apply(account, POLICY);
      expect(await kept()).toEqual({ anomalies: 1, totals: true, pauses: 2 });
      await advance(POLICY.personalDataMs);
      await store.retention.apply(account, POLICY);
      expect(await kept()).toEqual({ anomalies: 0, totals: true, pauses: 2 });
      await advance(POLICY.dedupeForMs);
      await store.retention.apply(account, POLICY);
      expect(await kept()).toEqual({ anomalies: 0, totals: false, pauses: 0 });
      expect(await store.anomalies.list(other)).toHaveLength(1);
      expect(await store.pauses.history(other, 10)).toHaveLength(2);
    });

    it('works in batches, and ends', async () => {
      const { store, advance } = current();
      const account = newAccount();
      await Promise.all(times(25, () => finished(store, account)));
      await advance(POLICY.personalDataMs);
      const batches: number[] = [];
      for (;;) {
        const { redacted } = await store.retention.apply(account, { ...POLICY, limit: 10 });
        if (redacted === 0) break;
        batches.push(redacted);
      }
      expect(batches.length).toBeGreaterThan(1);
      expect(batches.reduce((sum, count) => sum + count, 0)).toBe(25);
    });
  });
}
