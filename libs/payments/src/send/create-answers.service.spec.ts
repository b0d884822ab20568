import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import {
  PlatformRejectedError,
  PlatformTimeoutError,
  UnknownOutcomeError,
} from '../platform.errors.js';
import { FailedAttempts } from '../runtime/retry.js';
import { Runtime } from '../runtime/clock.js';
import { MemoryStore } from '../memory/memory.store.js';
import type { CreateAnswersService } from './create-answers.service.js';
import type { Operation } from '../store/operation.js';
import {
  aLedger,
  aNewPayment,
  applied,
  anomaliesIn,
  aPendingPayment,
  aRecordedPayment,
  aRequestedPayment,
  aSuccess,
  type LedgerUnderTest,
} from '../testing/ledger.fixture.js';

Logger.overrideLogger(false);

const REFUSED = new PlatformRejectedError({
  operation: 'create',
  status: 422,
  platformMessages: ['No such till'],
});
const LOST = new UnknownOutcomeError('create', new Error('reset'));
const LATE = new PlatformTimeoutError('create', new Error('late'));

describe('the answer to a create', () => {
  let store: MemoryStore;
  let under: LedgerUnderTest;

  beforeEach(() => {
    store = new MemoryStore();
    under = aLedger(store);
  });

  it('makes a link of record() due for a read at once, because only a read shows its URL', async () => {
    const answers = under.answers as unknown as CreateAnswersService;
    const due = async (inBackground: boolean): Promise<number> => {
      const link = {
        ...aNewPayment({ inBackground }),
        kind: 'payment_link',
        paymentReference: null,
        note: null,
      };
      const result = await store.operations.record(link, { sendBeforeMs: 60_000 });
      if (result.kind !== 'recorded') throw new Error(result.kind);
      const requested = await answers.markRequested(result.operation, 'one');
      await answers.apply(requested as Operation, { kind: 'created', id: link.id });
      const claim = { followed: false, limit: 9, leaseMs: 1_000, sendLeaseMs: 1_000 };
      return (await store.operations.claimDue(['default'], claim)).length;
    };
    expect(await due(false)).toBe(0);
    expect(await due(true)).toBe(1);
  });

  it('is awaited by one process only, because a second attempt to mark the payment as requested fails', async () => {
    const { ledger, answers } = under;
    const payment = await aRecordedPayment(store);
    expect(await answers.markRequested(payment, 'one')).toMatchObject({
      state: 'requested',
    });
    expect(await answers.markRequested(payment, 'one')).toBeNull();
    const sent = await ledger.find(payment);
    expect(await answers.markRequested(sent, 'two')).toBeNull();
  });

  it('with another platform id than the callback is an anomaly, and the first id stays', async () => {
    const { answers } = under;
    const sent = await aRequestedPayment(under);
    await applied(under, sent, aSuccess('platform-1'), 'callback');
    const after = await answers.apply(sent, { kind: 'created', id: 'platform-2' });
    expect(after).toMatchObject({ state: 'succeeded', platformId: 'platform-1' });
    expect(await anomaliesIn(store)).toEqual(['create answered with another id than its callback']);
  });

  it('with the same platform id as the callback changes nothing', async () => {
    const { answers } = under;
    const sent = await aRequestedPayment(under);
    const before = await applied(under, sent, aSuccess('platform-1'), 'callback');
    const after = await answers.apply(sent, { kind: 'created', id: 'platform-1' });
    expect(after.version).toBe(before.version);
    expect(await anomaliesIn(store)).toEqual([]);
  });

  it('sets the platform id of a payment that was settled without one, and not its state', async () => {
    const { ledger, answers } = under;
    const sent = await aRequestedPayment(under);
    await ledger.review(sent, 'ambiguous', 'two fit');
    expect(await answers.apply(sent, { kind: 'created', id: 'platform-1' })).toMatchObject({
      state: 'needs_review',
      platformId: 'platform-1',
    });
  });

  it.each([
    { kind: 'unknown', error: LOST } as const,
    { kind: 'rejected', error: REFUSED } as const,
    { kind: 'not_sent', error: LATE } as const,
  ])('of the kind $kind changes nothing after better evidence', async (outcome) => {
    const { answers } = under;
    const sent = await aRequestedPayment(under);
    const before = await applied(under, sent, aSuccess('platform-1'), 'callback');
    expect(await answers.apply(sent, outcome)).toMatchObject({
      state: 'succeeded',
      version: before.version,
    });
  });

  it("that refuses it makes the payment failed, with the platform's words", async () => {
    const sent = await aRequestedPayment(under);
    expect(await under.answers.apply(sent, { kind: 'rejected', error: REFUSED })).toMatchObject({
      state: 'failed',
      reason: 'rejected',
      errors: [expect.stringContaining('No such till')],
    });
  });

  it('that refuses it makes the payment failed even after another process has given up on the answer', async () => {
    const { answers } = under;
    const sent = await aRequestedPayment(under);
    await answers.giveUp(sent);
    expect(await answers.apply(sent, { kind: 'rejected', error: REFUSED })).toMatchObject({
      state: 'failed',
      reason: 'rejected',
    });
  });

  it('to another attempt to send the payment changes nothing', async () => {
    const sent = await aRequestedPayment(under);
    const other = { ...sent, sender: 'two', version: sent.version - 1 };
    expect(await under.answers.apply(other, { kind: 'rejected', error: REFUSED })).toMatchObject({
      state: 'requested',
    });
  });

  it('with the platform id of another payment is an anomaly, and leaves the outcome unknown', async () => {
    await aPendingPayment(under, 'platform-1');
    const after = await aPendingPayment(under, 'platform-1');
    expect(after).toMatchObject({ state: 'unknown', platformId: null });
    expect(await anomaliesIn(store)).toEqual(['create answered with the id of another payment']);
  });

  it('resolves with the payment in the store', async () => {
    const after = await aPendingPayment(under, 'platform-1');
    const { ageMs, sendWithinMs, unchangedMs, ...lasting } = await under.ledger.find(after);
    for (const ms of [ageMs, sendWithinMs, unchangedMs]) expect(ms).toEqual(expect.any(Number));
    expect(after).toMatchObject(lasting);
  });

  it('that is missing because nothing was sent makes the payment failed, also before it is requested', async () => {
    const recorded = await aRecordedPayment(store);
    expect(await under.answers.apply(recorded, { kind: 'not_sent', error: LATE })).toMatchObject({
      state: 'failed',
      reason: 'not_sent',
    });
  });

  it('comes with the failed attempts to send, which are kept once, also when another process has failed the payment', async () => {
    const { answers } = under;
    const recorded = await aRecordedPayment(store);
    await answers.apply(recorded, { kind: 'not_sent', error: LATE });
    const failures = new FailedAttempts(new Runtime());
    failures.add(new Error('refused'));
    await answers.apply(recorded, { kind: 'not_sent', error: LATE }, failures);
    await answers.apply(recorded, { kind: 'not_sent', error: LATE }, failures);
    const history = await store.operations.history('default', recorded.id);
    expect(history.map(({ what, detail }) => [what, detail])).toEqual([
      ['state', 'created to failed'],
      ['attempt', expect.stringMatching(/^attempt 1, .*: refused$/)],
    ]);
  });

  it('is given up only while the payment waits for it', async () => {
    const { answers } = under;
    const sent = await aRequestedPayment(under);
    expect(await answers.giveUp(sent)).toMatchObject({ state: 'unknown' });
    await answers.apply(sent, { kind: 'created', id: 'platform-1' });
    expect(await answers.giveUp(sent)).toMatchObject({ state: 'pending' });
  });
});
