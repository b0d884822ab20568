import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import {
  PlatformRejectedError,
  PlatformTimeoutError,
  UnknownOutcomeError,
} from '../payments.errors.js';
import type { IncomingPayment } from '../resources/incoming-payments/incoming-payment.resource.js';
import type { Transaction } from '../resources/transaction.resource.js';
import {
  aLedger,
  aNewPayment,
  anIncomingPayment,
  aTransaction,
} from '../testing/ledger.fixture.js';
import { newEvent } from './ledger.events.js';
import type { Ledger } from './ledger.js';
import { MemoryStore } from './memory/memory.store.js';
import type { PaymentRecord } from './payment.js';
import { reviewedTransaction } from './review.js';

Logger.overrideLogger(false);

const REFUSED = new PlatformRejectedError({
  operation: 'create',
  status: 422,
  platformMessages: ['No such till'],
});
const LOST = new UnknownOutcomeError('create', new Error('reset'));

const success = (id: string, resource = aTransaction()): IncomingPayment =>
  anIncomingPayment(id, 'Success', resource);

/** A store in which somebody else is always faster. */
class ContestedStore extends MemoryStore {
  contested = false;

  override async commit(...args: Parameters<MemoryStore['commit']>): Promise<Date | null> {
    return this.contested ? null : super.commit(...args);
  }
}

describe('the ledger', () => {
  let store: ContestedStore;
  let ledger: Ledger;

  beforeEach(() => {
    store = new ContestedStore();
    ledger = aLedger(store);
  });

  const recorded = async (): Promise<PaymentRecord> => {
    const result = await store.recordPayment(aNewPayment(), {
      sendBeforeMs: 60_000,
    });
    if (result.kind !== 'recorded') throw new Error(result.kind);
    return result.payment;
  };

  const requested = async (): Promise<PaymentRecord> =>
    (await ledger.markRequested(await recorded(), 'one', 1_000)) as PaymentRecord;

  const counted = async (): Promise<string[]> =>
    (await store.counts('default')).map(({ what }) => what);

  it('lets one process send a payment: whoever is second gets nothing to send', async () => {
    const payment = await recorded();
    expect(await ledger.markRequested(payment, 'one', 1_000)).toMatchObject({
      state: 'requested',
    });
    expect(await ledger.markRequested(payment, 'one', 1_000)).toBeNull();
    const sent = await ledger.payment(payment.id);
    expect(await ledger.markRequested(sent, 'two', 1_000)).toBeNull();
  });

  it.each([
    ['Success', ['A later step failed']],
    ['Failed', []],
  ])('tells each transaction that contradicts a payment: %s', async (status, errors) => {
    await store.registerListeners('default', [{ event: 'payment.needs_review', listener: 'shop' }]);
    const { id } = await requested();
    for (const reference of ['ONE', 'TWO', 'TWO']) {
      const shown = anIncomingPayment('p', status, aTransaction({ reference }), errors);
      await ledger.takeIncomingPayment(id, shown, 'callback');
    }
    const [first] = await store.claimCalls('default', ['shop'], 10, 1_000);
    await store.finishCall({ ...first!, account: 'default' }, { kind: 'done' });
    const [second] = await store.claimCalls('default', ['shop'], 10, 1_000);
    expect(second).toMatchObject({ event: 'payment.needs_review' });
    expect((await ledger.payment(id)).causeDetail).toMatch(/ONE.*TWO/s);
  });

  describe("takes the create's own answer", () => {
    it('with another id than its callback had for an oddity, and keeps the first', async () => {
      const sent = await requested();
      const { id } = sent;
      await ledger.takeIncomingPayment(id, success('platform-1'), 'callback');
      const after = await ledger.takeAnswer(sent, { kind: 'created', id: 'platform-2' });
      expect(after).toMatchObject({ state: 'succeeded', platformId: 'platform-1' });
      expect(await counted()).toEqual(['create answered with another id than its callback']);
    });

    it('with the id of its callback for no news', async () => {
      const sent = await requested();
      const { id } = sent;
      const before = await ledger.takeIncomingPayment(id, success('platform-1'), 'callback');
      const after = await ledger.takeAnswer(sent, { kind: 'created', id: 'platform-1' });
      expect(after.version).toBe(before.version);
      expect(await counted()).toEqual([]);
    });

    it.each<[string, IncomingPayment]>([
      ['an unknown status', anIncomingPayment('platform-1', 'Settling', null)],
      ['Success without a transaction', anIncomingPayment('platform-1', 'Success', null)],
    ])('for pending when %s is the first that shows its id', async (_, evidence) => {
      const { id } = await requested();
      await ledger.giveUpOnAnswer(id);
      expect(await ledger.takeIncomingPayment(id, evidence, 'callback')).toMatchObject({
        state: 'pending',
        platformId: 'platform-1',
      });
    });

    it('for the id only, when the payment was settled without one', async () => {
      const sent = await requested();
      const { id } = sent;
      await ledger.review(id, 'ambiguous', 'two fit');
      expect(await ledger.takeAnswer(sent, { kind: 'created', id: 'platform-1' })).toMatchObject({
        state: 'needs_review',
        platformId: 'platform-1',
      });
    });

    it.each([
      { kind: 'unknown', error: LOST } as const,
      { kind: 'rejected', error: REFUSED } as const,
      { kind: 'not_sent', error: new PlatformTimeoutError('create', new Error('late')) } as const,
    ])('for nothing once better evidence is there ($kind)', async (outcome) => {
      const sent = await requested();
      const { id } = sent;
      const before = await ledger.takeIncomingPayment(id, success('platform-1'), 'callback');
      expect(await ledger.takeAnswer(sent, outcome)).toMatchObject({
        state: 'succeeded',
        version: before.version,
      });
    });

    it('that refuses for a failure, with its words', async () => {
      const sent = await requested();
      expect(await ledger.takeAnswer(sent, { kind: 'rejected', error: REFUSED })).toMatchObject({
        state: 'failed',
        reason: 'rejected',
        errors: [expect.stringContaining('No such till')],
      });
    });

    it('that refuses for a failure also after the payment was taken for abandoned', async () => {
      const sent = await requested();
      await ledger.giveUpOnAnswer(sent.id);
      expect(await ledger.takeAnswer(sent, { kind: 'rejected', error: REFUSED })).toMatchObject({
        state: 'failed',
        reason: 'rejected',
      });
    });

    it('of another attempt for nothing', async () => {
      const sent = await requested();
      const other = { ...sent, sender: 'two', version: sent.version - 1 };
      expect(await ledger.takeAnswer(other, { kind: 'rejected', error: REFUSED })).toMatchObject({
        state: 'requested',
      });
    });

    it('with the id of another payment for an outcome that nobody knows', async () => {
      const other = await requested();
      await ledger.takeAnswer(other, { kind: 'created', id: 'platform-1' });
      const after = await ledger.takeAnswer(await requested(), {
        kind: 'created',
        id: 'platform-1',
      });
      expect(after).toMatchObject({ state: 'unknown', platformId: null });
      expect(await counted()).toEqual(['create answered with the id of another payment']);
    });

    it('and gives the payment as the store has it', async () => {
      const after = await ledger.takeAnswer(await requested(), {
        kind: 'created',
        id: 'platform-1',
      });
      const { ageMs, sendWithinMs, unchangedMs, ...lasting } = await ledger.payment(after.id);
      for (const ms of [ageMs, sendWithinMs, unchangedMs]) expect(ms).toEqual(expect.any(Number));
      expect(after).toMatchObject(lasting);
    });

    it('that never came because nothing was sent for a failure, also before sending', async () => {
      const sent = await recorded();
      const error = new PlatformTimeoutError('create', new Error('late'));
      expect(await ledger.takeAnswer(sent, { kind: 'not_sent', error })).toMatchObject({
        state: 'failed',
        reason: 'not_sent',
      });
    });
  });

  it('gives up on an answer only while it waits for one', async () => {
    const sent = await requested();
    const { id } = sent;
    expect(await ledger.giveUpOnAnswer(id)).toMatchObject({ state: 'unknown' });
    await ledger.takeAnswer(sent, { kind: 'created', id: 'platform-1' });
    expect(await ledger.giveUpOnAnswer(id)).toMatchObject({ state: 'pending' });
  });

  it('sends nothing to review that is decided', async () => {
    const { id } = await requested();
    await ledger.takeIncomingPayment(id, success('platform-1'), 'callback');
    expect(await ledger.review(id, 'no_evidence', 'late')).toMatchObject({ state: 'succeeded' });
  });

  it('takes no evidence with another platform id than the payment has', async () => {
    const { id } = await requested();
    await ledger.takeIncomingPayment(
      id,
      anIncomingPayment('platform-1', 'Pending', null),
      'status',
    );
    const other = await ledger.takeIncomingPayment(id, success('platform-2'), 'callback');
    expect(other).toMatchObject({ state: 'pending', platformId: 'platform-1' });
    expect(await counted()).toEqual(['evidence with another platform id']);
  });

  it('says each contradiction once, however many come and however often', async () => {
    const { id } = await requested();
    const before = await ledger.takeIncomingPayment(id, success('p'), 'callback');
    for (let round = 0; round < 2; round += 1) {
      for (let n = 0; n < 60; n += 1) {
        const other = success('p', aTransaction({ reference: `OTHER${n}` }));
        await ledger.takeIncomingPayment(id, other, 'callback');
      }
      const { version, causeDetail } = await ledger.payment(id);
      expect(causeDetail?.length).toBeLessThanOrEqual(2_000);
      expect(version).toBe(before.version + 60);
    }
    const { version } = await ledger.payment(id);
    await ledger.takeIncomingPayment(
      id,
      success('p', aTransaction({ reference: 'OTHER1' })),
      'callback',
    );
    expect((await ledger.payment(id)).version).toBe(version);
  });

  it('keeps a second transaction of a payment from others, and is not reversed by its reversal', async () => {
    const { id } = await requested();
    await ledger.takeIncomingPayment(id, success('p'), 'callback');
    const second = aTransaction({ reference: 'TWO' });
    await ledger.takeIncomingPayment(id, success('p', second), 'callback');
    expect((await store.findTransaction('default', 'TWO'))?.sums).toMatchObject([
      { paymentId: id },
    ]);
    const observed = { via: 'webhook', webhookEventId: null, announce: true } as const;
    const reversal = (reference: string) =>
      ledger.observeTransaction({
        ...observed,
        transaction: aTransaction({ reference, status: 'Reversed' }),
        reversal: true,
      });
    await reversal('TWO');
    expect(await ledger.payment(id)).toMatchObject({ state: 'succeeded' });
    await reversal('ONE');
    expect(await ledger.payment(id)).toMatchObject({ state: 'reversed' });
  });

  it('asks a person once for each cause and transaction, not once for each cause', async () => {
    await store.registerListeners('default', [{ event: 'payment.needs_review', listener: 'shop' }]);
    const { id } = await requested();
    for (const reference of ['ONE', 'TWO', 'ONE']) {
      const wrong = success('p', aTransaction({ reference, amount: '90' }));
      await ledger.takeIncomingPayment(id, wrong, 'callback');
    }
    let events = 0;
    for (;;) {
      const [call] = await store.claimCalls('default', ['shop'], 1, 1_000);
      if (!call) break;
      events += 1;
      await store.finishCall(call, { kind: 'done' });
    }
    expect(events).toBe(2);
  });

  it('keeps a correctly paid payment from review when an alias was there only while its money was first seen', async () => {
    const { id } = await requested();
    const money = aTransaction({ tillNumber: 'K514459' });
    await aLedger(store, { tillAliases: { K514459: '514459' } }).observeTransaction({
      via: 'webhook',
      transaction: money,
      reversal: false,
      webhookEventId: null,
      announce: true,
    });
    const paid = await ledger.takeIncomingPayment(id, success('platform-1', money), 'callback');
    expect(paid).toMatchObject({ state: 'succeeded' });
  });

  it('keeps a correctly paid payment from review when the alias of its till is removed before its callback', async () => {
    const before = aNewPayment({ tillNumber: 'K514459', tills: ['K514459', '514459'] });
    const given = await store.recordPayment(before, { sendBeforeMs: 60_000 });
    if (given.kind !== 'recorded') throw new Error(given.kind);
    await ledger.markRequested(given.payment, 'one', 1_000);
    const paid = await ledger.takeIncomingPayment(before.id, success('platform-1'), 'callback');
    expect(paid).toMatchObject({ state: 'succeeded' });
  });

  describe('of a payment whose till had an alias when it was recorded, which is removed since', () => {
    const money = aTransaction({ tillNumber: '514459' });
    const back = aTransaction({ tillNumber: 'K514459', status: 'Reversed' });
    const gone = () =>
      ledger.observeTransaction({
        via: 'webhook',
        transaction: back,
        reversal: true,
        webhookEventId: null,
        announce: true,
      });
    const sent = async (): Promise<string> => {
      const payment = aNewPayment({ tillNumber: 'K514459', tills: ['K514459', '514459'] });
      const given = await store.recordPayment(payment, { sendBeforeMs: 60_000 });
      if (given.kind !== 'recorded') throw new Error(given.kind);
      await ledger.markRequested(given.payment, 'one', 1_000);
      return payment.id;
    };

    it('knows that its money went back before its callback, at the other number', async () => {
      const id = await sent();
      await gone();
      const paid = await ledger.takeIncomingPayment(id, success('platform-1', money), 'callback');
      expect(paid).toMatchObject({ state: 'needs_review', cause: 'reversed' });
    });

    it('knows that its money went back after its callback, at the other number', async () => {
      const id = await sent();
      await ledger.takeIncomingPayment(id, success('platform-1', money), 'callback');
      await gone();
      expect(await ledger.payment(id)).toMatchObject({ state: 'reversed' });
    });
  });

  describe('of money that was reported at two numbers before an alias joined them', () => {
    const ALIASES = { tillAliases: { K514459: '514459' } };
    const seen = (at: Ledger, tillNumber: string, reversal = false) =>
      at.observeTransaction({
        via: 'webhook',
        transaction: aTransaction({ tillNumber, status: reversal ? 'Reversed' : 'Received' }),
        reversal,
        webhookEventId: null,
        announce: true,
      });
    const paid = (at: Ledger, id: string, errors: string[] = []) =>
      at.takeIncomingPayment(
        id,
        anIncomingPayment('p1', 'Success', aTransaction(), errors),
        'callback',
      );

    it('gives it to one payment only, whoever decides', async () => {
      const { id } = await requested();
      const shown = aTransaction({ tillNumber: 'K514459' });
      await ledger.takeIncomingPayment(id, success('p1', shown), 'callback');
      const word = { state: 'succeeded', by: 'ann', note: 'seen' } as const;
      await ledger.resolve(id, word);
      await seen(ledger, '514459');
      const restarted = aLedger(store, ALIASES);
      const other = await requested();
      await restarted.review(other.id, 'no_evidence', 'late');
      await expect(restarted.resolve(other.id, { ...word, reference: 'ONE' })).rejects.toThrow(
        `belongs to payment ${id}`,
      );
    });

    it('lets nobody say that it is there when it went back at the other number', async () => {
      const { id } = await requested();
      await paid(ledger, id, ['odd']);
      await seen(ledger, 'K514459', true);
      const word = { state: 'succeeded', by: 'ann', note: 'seen' } as const;
      await expect(aLedger(store, ALIASES).resolve(id, word)).rejects.toThrow(/was reversed/);
    });

    it('reverses its payment when the reversal is reported again', async () => {
      const { id } = await requested();
      await paid(ledger, id);
      await seen(ledger, 'K514459', true);
      expect(await ledger.payment(id)).toMatchObject({ state: 'succeeded' });
      const restarted = aLedger(store, ALIASES);
      await seen(restarted, 'K514459', true);
      expect(await restarted.payment(id)).toMatchObject({ state: 'reversed' });
    });
  });

  const reviews = async (id: string): Promise<number> =>
    (await store.listEvents('default', id)).filter(({ name }) => name === 'payment.needs_review')
      .length;

  it('tells a second contradiction about other money also where money has an id and no reference', async () => {
    const { id } = await requested();
    for (const money of ['t1', 't2']) {
      const shown = aTransaction({ id: money, reference: null });
      await ledger.takeIncomingPayment(id, anIncomingPayment('p', 'Failed', shown), 'callback');
    }
    expect(await reviews(id)).toBe(2);
  });

  it('tells each contradiction, however many there are, and keeps the words of the first', async () => {
    const { id } = await requested();
    for (let n = 0; n < 10; n += 1) {
      const shown = aTransaction({ id: `t${n}`, reference: `R${n}` });
      const long = anIncomingPayment('p', 'Success', shown, ['x'.repeat(400)]);
      await ledger.takeIncomingPayment(id, long, 'callback');
    }
    expect(await reviews(id)).toBe(10);
    expect((await ledger.payment(id)).causeDetail?.length).toBeLessThanOrEqual(2_000);
  });

  it('keeps whose money it is that the platform shows for a request of the host itself', async () => {
    const subject = { account: 'default', stream: 'platform-1', via: 'callback' } as const;
    const incomingPayment = success('platform-1');
    const event = newEvent('incoming-payment.completed', subject, { incomingPayment });
    await ledger.takeBareResult(event, 'bare-1', aTransaction());
    await ledger.takeBareResult(event, 'bare-1', aTransaction());
    expect(await store.findTransaction('default', 'ONE')).toMatchObject({
      sums: [{ bareId: 'bare-1', paymentId: null }],
    });
    const { id } = await requested();
    expect(await ledger.takeMatchedTransaction(id, aTransaction())).toMatchObject({
      state: 'requested',
    });
    await ledger.review(id, 'no_evidence', 'late');
    const word = { state: 'succeeded', by: 'ops', note: 'seen', reference: 'ONE' } as const;
    await expect(ledger.resolve(id, word)).rejects.toThrow(/a request of your own, bare-1/);
    await ledger.takeBareResult(event, 'bare-2', aTransaction());
    expect(await counted()).toContain('transaction of two requests');
  });

  describe("takes a person's decision", () => {
    const decision = { state: 'succeeded', by: 'ops', note: 'seen' } as const;
    const observed = (transaction: Transaction, reversal = false) =>
      ({ via: 'webhook', transaction, reversal, webhookEventId: null, announce: true }) as const;

    it('for none when the payment was decided meanwhile', async () => {
      const { id } = await requested();
      await ledger.takeIncomingPayment(id, success('platform-1'), 'callback');
      await expect(ledger.resolve(id, { ...decision, state: 'failed' })).rejects.toThrow(
        /it is succeeded, not needs_review/,
      );
    });

    it('that it succeeded for none when no transaction is known', async () => {
      const { id } = await requested();
      await ledger.review(id, 'no_evidence', 'late');
      await expect(ledger.resolve(id, decision)).rejects.toThrow(/give the reference/);
    });

    it('that it succeeded by the transaction that the payment already knows', async () => {
      const { id } = await requested();
      await ledger.takeIncomingPayment(
        id,
        success('p', aTransaction({ amount: '90' })),
        'callback',
      );
      expect(await ledger.resolve(id, decision)).toMatchObject({
        state: 'succeeded',
        decided: true,
        transaction: { amount: '90' },
      });
    });

    it('with a reference that one other person named a moment ago for another payment, for none', async () => {
      const one = await requested();
      const other = await requested();
      for (const { id } of [one, other]) await ledger.review(id, 'no_evidence', 'late');
      const named = { ...decision, reference: 'PAPER' };
      const results = await Promise.allSettled(
        [one, other].map(({ id }) => ledger.resolve(id, named)),
      );
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const owner = results[0]?.status === 'fulfilled' ? one : other;
      const refused = results.find((result) => result.status === 'rejected');
      expect(String(refused?.reason)).toContain(`belongs to payment ${owner.id}`);
    });

    it('is not overruled by the same money, and is by other money', async () => {
      const { id } = await requested();
      await ledger.takeIncomingPayment(
        id,
        success('p', aTransaction({ amount: '90' })),
        'callback',
      );
      await ledger.resolve(id, { ...decision, state: 'failed' });
      const same = success('p', aTransaction({ amount: '90' }));
      expect(await ledger.takeIncomingPayment(id, same, 'status')).toMatchObject({
        state: 'failed',
      });
      const other = success('p', aTransaction({ reference: 'TWO' }));
      expect(await ledger.takeIncomingPayment(id, other, 'status')).toMatchObject({
        state: 'needs_review',
        cause: 'paid_after_failure',
      });
    });

    it('on a reference that the platform has not shown for no more than that reference', async () => {
      await store.registerListeners('default', [
        { event: 'till.transaction.received', listener: 'shop' },
      ]);
      const { id } = await requested();
      await ledger.review(id, 'no_evidence', 'late');
      await ledger.resolve(id, { ...decision, reference: 'ONE' });
      await ledger.observeTransaction(observed(aTransaction({ amount: '5.00' })));
      const [call] = await store.claimCalls('default', ['shop'], 10, 1_000);
      expect(call).toMatchObject({
        payload: { paymentId: id, transaction: { amount: '5.00' } },
      });
      expect(await counted()).toEqual(['transaction reported with another amount']);
    });

    it('with a reference that is of a payment at another till for none', async () => {
      const owner = await requested();
      const elsewhere = aTransaction({ tillNumber: '999' });
      await ledger.takeIncomingPayment(owner.id, success('p', elsewhere), 'callback');
      const { id } = await requested();
      await ledger.review(id, 'no_evidence', 'late');
      await expect(ledger.resolve(id, { ...decision, reference: 'ONE' })).rejects.toThrow(
        `belongs to payment ${owner.id}`,
      );
    });

    describe('on money that went back during the review', () => {
      let id: string;

      beforeEach(async () => {
        id = (await requested()).id;
        const wrong = aTransaction({ amount: '90' });
        await ledger.takeIncomingPayment(id, success('p', wrong), 'callback');
        await ledger.observeTransaction(observed({ ...wrong, status: 'Reversed' }, true));
      });

      it('is refused when it says that the money is there', async () => {
        await expect(ledger.resolve(id, decision)).rejects.toThrow(
          /transaction ONE was reversed: resolve it as reversed, or as failed/,
        );
      });

      it.each(['reversed', 'failed'] as const)(
        'may say %s, which alone is emitted',
        async (state) => {
          await store.registerListeners('default', [
            { event: 'payment.succeeded', listener: 'shop' },
            { event: 'payment.reversed', listener: 'shop' },
            { event: 'payment.failed', listener: 'shop' },
          ]);
          expect(await ledger.resolve(id, { ...decision, state })).toMatchObject({ state });
          const calls = await store.claimCalls('default', ['shop'], 10, 1_000);
          expect(calls.map(({ event }) => event)).toEqual([`payment.${state}`]);
        },
      );
    });

    it.each(['callback', 'status'] as const)(
      'that the money is there is refused after a reversal that only a %s has shown',
      async (via) => {
        const { id } = await requested();
        const wrong = aTransaction({ amount: '90' });
        await ledger.takeIncomingPayment(id, success('p', wrong), 'callback');
        const back = success('p', { ...wrong, status: 'Reversed' });
        await ledger.takeIncomingPayment(id, back, via);
        await expect(ledger.resolve(id, decision)).rejects.toThrow(/was reversed/);
      },
    );

    it('that its money went back, which nothing has reported, is refused', async () => {
      const { id } = await requested();
      await ledger.review(id, 'no_evidence', 'late');
      await expect(
        ledger.resolve(id, { ...decision, state: 'reversed', reference: 'ONE' }),
      ).rejects.toThrow(/has reported no reversal of transaction ONE/);
    });
  });

  describe('takes money at a till', () => {
    const sighting = (transaction: Transaction, reversal = false) =>
      ({
        via: 'webhook',
        transaction,
        reversal,
        webhookEventId: null,
        announce: true,
      }) as const;

    it.each([
      ['has neither reference nor id', { reference: null, id: null }],
      ['has no till', { tillNumber: null }],
    ])('for nothing when it %s', async (_, changes) => {
      expect(await ledger.observeTransaction(sighting(aTransaction(changes)))).toBe(false);
    });

    it('as first told, and counts what differs', async () => {
      await ledger.observeTransaction(sighting(aTransaction()));
      await ledger.observeTransaction(sighting(aTransaction({ amount: '999' })));
      const kept = await store.findTransaction('default', 'ONE');
      expect(kept?.sums).toMatchObject([{ received: { amount: '100.0' } }]);
      expect(await counted()).toEqual(['transaction reported with another amount']);
    });

    it("as first reported, also against a payment's own callback, and counts what differs", async () => {
      await ledger.observeTransaction(sighting(aTransaction({ amount: '99' })));
      const { id } = await requested();
      const paid = await ledger.takeIncomingPayment(id, success('platform-1'), 'callback');
      expect(paid).toMatchObject({ state: 'succeeded' });
      expect((await store.findTransaction('default', 'ONE'))?.sums).toMatchObject([
        { received: { amount: '99' }, paymentId: id },
      ]);
      expect(await counted()).toEqual(['transaction reported with another amount']);
    });

    it('whose amount could not be read at first as it is when that can be read', async () => {
      await store.registerListeners('default', [
        { event: 'till.transaction.received', listener: 'shop' },
      ]);
      await ledger.observeTransaction(sighting(aTransaction({ amount: null })));
      await ledger.observeTransaction(sighting(aTransaction()));
      expect(await store.claimCalls('default', ['shop'], 10, 1_000)).toMatchObject([
        { payload: { transaction: { amount: '100.0' } } },
      ]);
    });

    it('for the same when only its writing differs', async () => {
      await ledger.observeTransaction(sighting(aTransaction({ amount: '100' })));
      await ledger.observeTransaction(sighting(aTransaction({ amount: '100.00' })));
      expect(await counted()).toEqual([]);
    });

    it('for no difference when only its reversal was known', async () => {
      await ledger.observeTransaction(sighting(aTransaction({ amount: '999' }), true));
      await ledger.observeTransaction(sighting(aTransaction()));
      expect(await counted()).toEqual([]);
    });

    it('at two tills that nothing joins as two sums, and names the alias that would join them', async () => {
      await ledger.observeTransaction(sighting(aTransaction({ tillNumber: 'K514459' })));
      await ledger.observeTransaction(sighting(aTransaction()));
      const kept = await store.findTransaction('default', 'ONE');
      expect(kept?.sums.map(({ tills }) => tills)).toEqual([['K514459'], ['514459']]);
      expect(await counted()).toEqual([
        'one reference at two tills: PAYMENTS_TILL_ALIASES=K514459=514459 would join them',
      ]);
    });

    it('once, whatever aliases are added or removed between two reports of it', async () => {
      await store.registerListeners('default', [
        { event: 'till.transaction.received', listener: 'shop' },
      ]);
      const aliases = { K514459: '514459' };
      const tills = ['514459', 'K514459'];
      for (const reference of ['ADDED', 'REMOVED']) {
        const settings = [{}, aliases];
        if (reference === 'REMOVED') settings.reverse();
        for (const tillAliases of settings) {
          const restarted = aLedger(store, { tillAliases });
          const again = tillAliases === aliases ? tills : [tills[0] as string];
          for (const tillNumber of [...again, tills[0] as string])
            await restarted.observeTransaction(sighting(aTransaction({ reference, tillNumber })));
        }
      }
      expect(await store.claimCalls('default', ['shop'], 10, 1_000)).toHaveLength(2);
      const removed = aLedger(store);
      await removed.observeTransaction(
        sighting(aTransaction({ reference: 'REMOVED', tillNumber: 'K514459' })),
      );
      expect((await store.findTransaction('default', 'REMOVED'))?.sums).toHaveLength(1);
    });

    it('once, though a person named it at one number of its till and an alias joins the other later', async () => {
      await store.registerListeners('default', [
        { event: 'till.transaction.received', listener: 'shop' },
      ]);
      const { id } = await requested();
      await ledger.review(id, 'no_evidence', 'late');
      const named = { state: 'succeeded', by: 'ops', note: 'seen', reference: 'ONE' } as const;
      await ledger.resolve(id, named);
      await ledger.observeTransaction(sighting(aTransaction({ tillNumber: 'K514459' })));
      const restarted = aLedger(store, { tillAliases: { K514459: '514459' } });
      await restarted.observeTransaction(sighting(aTransaction()));
      expect(await store.claimCalls('default', ['shop'], 10, 1_000)).toHaveLength(1);
    });

    it('whose amount cannot be read without an event, and counts it', async () => {
      await store.registerListeners('default', [
        { event: 'till.transaction.received', listener: 'shop' },
      ]);
      await ledger.observeTransaction(sighting(aTransaction({ amount: null })));
      expect(await store.claimCalls('default', ['shop'], 10, 1_000)).toEqual([]);
      expect(await counted()).toEqual(['transaction with an unreadable amount']);
    });

    it('whose amount can be read at last with that amount', async () => {
      await store.registerListeners('default', [
        { event: 'till.transaction.received', listener: 'shop' },
      ]);
      await ledger.observeTransaction(sighting(aTransaction({ amount: null })));
      await ledger.observeTransaction(sighting(aTransaction()));
      await ledger.observeTransaction(sighting(aTransaction({ amount: '1.0' })));
      const calls = await store.claimCalls('default', ['shop'], 10, 1_000);
      expect(calls).toMatchObject([{ payload: { transaction: { amount: '100.0' } } }]);
      const known = await store.findTransaction('default', 'ONE');
      expect(known?.sums).toMatchObject([{ amountMinor: '10000' }]);
    });

    it('at a till that an account with a list of tills does not list without an event', async () => {
      await store.registerListeners('default', [
        { event: 'till.transaction.received', listener: 'shop' },
      ]);
      const listed = aLedger(store, { tills: ['514459'], tillAliases: { K1: '514459' } });
      await listed.observeTransaction(
        sighting(aTransaction({ tillNumber: '999', reference: 'A' })),
      );
      await listed.observeTransaction(sighting(aTransaction({ tillNumber: 'K1', reference: 'B' })));
      const calls = await store.claimCalls('default', ['shop'], 10, 1_000);
      expect(calls).toMatchObject([{ stream: 'money:B' }]);
    });

    it('that goes back with an event of its own, once, also when that comes first', async () => {
      await store.registerListeners('default', [
        { event: 'till.transaction.received', listener: 'shop' },
        { event: 'till.transaction.reversed', listener: 'shop' },
      ]);
      const gone = aTransaction({ status: 'Reversed' });
      for (let times = 0; times < 2; times += 1)
        await ledger.observeTransaction(sighting(gone, true));
      const [first] = await store.claimCalls('default', ['shop'], 10, 1_000);
      expect(first).toMatchObject({ event: 'till.transaction.reversed' });
      if (first) await store.finishCall(first, { kind: 'done' });
      await ledger.observeTransaction(sighting(aTransaction()));
      expect(await store.claimCalls('default', ['shop'], 10, 1_000)).toMatchObject([
        { event: 'till.transaction.received', payload: { reversed: true } },
      ]);
    });

    it('for an error when somebody else is always faster', async () => {
      store.contested = true;
      await expect(ledger.observeTransaction(sighting(aTransaction()))).rejects.toThrow(
        /transaction ONE changes faster/,
      );
    });
  });

  it('gives up on a change when somebody else is always faster', async () => {
    const { id } = await requested();
    store.contested = true;
    await expect(ledger.giveUpOnAnswer(id)).rejects.toThrow(/changes faster than it can be judged/);
  });

  it('says so when a payment is gone from its store', async () => {
    await expect(ledger.payment('nothing')).rejects.toThrow(/payment nothing is gone/);
  });

  describe('finds the transaction that a resolution stands on:', () => {
    const reviewed = async (transaction: Transaction | null): Promise<PaymentRecord> => {
      const { id } = await requested();
      if (!transaction) return ledger.review(id, 'no_evidence', 'late');
      return ledger.takeIncomingPayment(id, success(id, transaction), 'callback');
    };
    const word = { state: 'succeeded', by: 'ops', note: 'seen' } as const;

    it('none for a failure', async () => {
      const payment = await reviewed(aTransaction({ amount: '90' }));
      expect(
        await reviewedTransaction(payment, { ...word, state: 'failed' }, store, {}),
      ).toBeNull();
    });

    it('the one that the payment knows', async () => {
      const payment = await reviewed(aTransaction({ amount: '90' }));
      expect(await reviewedTransaction(payment, word, store, {})).toMatchObject({
        transaction: { amount: '90' },
      });
    });

    it('the one that the payment knows, also where the store has no received money of it', async () => {
      const payment = await reviewed(aTransaction({ amount: '90', tillNumber: '000123' }));
      const known = await reviewedTransaction(payment, { ...word, reference: ' ONE ' }, store, {});
      expect(known).toMatchObject({ transaction: { amount: '90', tillNumber: '000123' } });
    });

    it('the one that the till received under the reference', async () => {
      const payment = await reviewed(null);
      await ledger.observeTransaction({
        via: 'webhook',
        transaction: aTransaction({ reference: 'TWO', amount: '99' }),
        reversal: false,
        webhookEventId: null,
        announce: true,
      });
      expect(
        await reviewedTransaction(payment, { ...word, reference: 'TWO' }, store, {}),
      ).toMatchObject({ transaction: { reference: 'TWO', amount: '99' } });
    });

    it('what was asked for, where the platform never told of the reference', async () => {
      const payment = await reviewed(null);
      expect(
        await reviewedTransaction(payment, { ...word, reference: 'PAPER' }, store, {}),
      ).toMatchObject({
        transaction: { reference: 'PAPER', amount: '100.00', tillNumber: '514459', id: null },
        record: null,
      });
    });

    it.each([undefined, '', '  '])('refused without a reference (%p)', async (reference) => {
      const payment = await reviewed(null);
      const resolution = { ...word, ...(reference !== undefined && { reference }) };
      await expect(reviewedTransaction(payment, resolution, store, {})).rejects.toThrow(
        /give the reference/,
      );
    });

    it('refused when it is the money of another payment, which is named', async () => {
      const owner = await requested();
      await ledger.takeIncomingPayment(owner.id, success('platform-1'), 'callback');
      const payment = await reviewed(null);
      await expect(
        reviewedTransaction(payment, { ...word, reference: 'ONE' }, store, {}),
      ).rejects.toThrow(`belongs to payment ${owner.id}`);
    });
  });
});
