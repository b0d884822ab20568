import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { PlatformWaits } from '../platform/background-requests.js';
import type { PlatformClocks } from '../platform/platform-clock.js';
import { PlatformUnreachableError } from '../platform.errors.js';
import { StoreUnavailableError } from '../payments.errors.js';
import type { PaymentRecord } from '../operations/payments/payment.js';
import { Runtime } from '../runtime/clock.js';
import type { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aLedger,
  aRecordedPayment,
  type LedgerUnderTest,
  resourcesWith,
} from '../testing/ledger.fixture.js';
import { READY, senderOf } from '../testing/operation-parts.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { OperationSender } from './operation-sender.js';

Logger.overrideLogger(false);

const BEHIND_MS = 20 * 60_000;

class BehindRuntime extends Runtime {
  override now(): number {
    return Date.now() - BEHIND_MS;
  }
}

describe('a payment that is to be sent', () => {
  let runtime: BehindRuntime;
  let shutdown: ShutdownSignal;
  let clocks: PlatformClocks;
  let store: MemoryStore;
  let under: LedgerUnderTest;
  let sent: number;
  let learn: () => Promise<void>;
  const resources = resourcesWith({
    ...READY,
    client: { learnClock: () => learn(), refusalOf: () => null },
    incomingPayments: {
      post: async () => {
        sent += 1;
        return { kind: 'created', id: 'p1' };
      },
    },
  });

  beforeEach(() => {
    runtime = new BehindRuntime();
    store = new MemoryStore();
    under = aLedger(store, {}, runtime, resources);
    ({ shutdown, clocks } = under);
    sent = 0;
  });

  afterEach(() => shutdown.close());

  const send = async (learnClock: () => Promise<void>, sendBeforeMs: number) => {
    learn = learnClock;
    const sender = new OperationSender(
      under.ledger,
      under.answers,
      under.kinds,
      resources,
      shutdown,
      new PlatformWaits(under.accounts, runtime),
      runtime,
    );
    return sender.send(await aRecordedPayment(store, {}, sendBeforeMs));
  };

  const noAnswer = (): Promise<void> =>
    Promise.reject(new PlatformUnreachableError('read the clock', new Error('refused')));

  it("is sent only after the platform's time is known, and is dated by it", async () => {
    let asked = 0;
    const before = Date.now();
    const { state, sentAt } = await send(async () => {
      asked += 1;
      if (asked === 1) return noAnswer();
      clocks.clock('default').observe(new Date().toUTCString(), runtime.now(), runtime.now());
    }, 60_000);
    expect({ state, sent }).toEqual({ state: 'pending', sent: 1 });
    expect(Math.abs((sentAt?.getTime() ?? 0) - before)).toBeLessThan(BEHIND_MS / 2);
  });

  it('becomes failed as not sent after the store, which was unavailable at its sending, is available again', async () => {
    const commit = store.ledger.commit.bind(store.ledger);
    let isAway = true;
    store.ledger.commit = async (changes) => {
      if (isAway) throw new StoreUnavailableError('away');
      return commit(changes);
    };
    await expect(send(async () => undefined, 300)).rejects.toThrow(StoreUnavailableError);
    isAway = false;
    const state = async (): Promise<unknown> => {
      const { items } = await store.operations.list('default', { kind: 'payment' }, { limit: 1 });
      return items[0]?.state;
    };
    while ((await state()) === 'created') await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await state()).toBe('failed');
    expect(sent).toBe(0);
  });

  it("fails as not sent when the platform's time is not known before its deadline", async () => {
    expect(await send(noAnswer, 300)).toMatchObject({ state: 'failed', reason: 'not_sent' });
    expect(sent).toBe(0);
  });
});

describe('a payment that this process sends too late', () => {
  const MINUTE = 60_000;
  const runtime = new SkippingRuntime();
  const store = new MemoryStore(() => runtime.now());
  let whilePreparing: () => Promise<void>;
  const resources = resourcesWith({
    ...READY,
    client: { learnClock: () => whilePreparing(), refusalOf: () => null },
    incomingPayments: { post: () => Promise.reject(new Error('it was sent')) },
  });
  const under = aLedger(store, {}, runtime, resources);
  const sender = senderOf<PaymentRecord>(under, runtime, resources);
  afterAll(() => under.shutdown.close());

  it('stays as it is when another process sends it', async () => {
    const payment = await aRecordedPayment(store, {}, MINUTE);
    whilePreparing = async () => {
      await under.answers.markRequested(payment, 'another process');
      runtime.advance(2 * MINUTE);
    };
    expect(await sender.send(payment)).toMatchObject({
      state: 'requested',
      sender: 'another process',
    });
    expect(await under.ledger.find(payment)).toMatchObject({ state: 'requested' });
  });

  it('fails as not sent at its time although nobody answers the request for a token', async () => {
    const payment = await aRecordedPayment(store, {}, MINUTE);
    const began = runtime.elapsed();
    whilePreparing = () => new Promise(() => undefined);
    expect(await sender.send(payment)).toMatchObject({ state: 'failed', reason: 'not_sent' });
    expect(runtime.elapsed() - began).toBe(MINUTE);
  });

  it('stays as it is in the background while nobody answers the request for a token, so that others can be sent', async () => {
    const payment = await aRecordedPayment(store, { inBackground: true }, MINUTE);
    const began = runtime.elapsed();
    whilePreparing = () => new Promise(() => undefined);
    expect(await sender.send(payment)).toMatchObject({ state: 'created' });
    expect(runtime.elapsed() - began).toBeLessThan(MINUTE / 10);
  });

  it('fails as not sent when no process sends it', async () => {
    const payment = await aRecordedPayment(store, {}, MINUTE);
    whilePreparing = () => Promise.resolve(runtime.advance(2 * MINUTE));
    expect(await sender.send(payment)).toMatchObject({ state: 'failed', reason: 'not_sent' });
  });
});

describe('a payment whose store is unavailable when it is to be sent', () => {
  /** The store was asked for this long, of the ten minutes in which the payment may be sent. */
  const askedForMs = async (inBackground: boolean): Promise<number> => {
    const runtime = new SkippingRuntime();
    const store = new MemoryStore(() => runtime.now());
    const resources = resourcesWith(READY);
    const under = aLedger(store, {}, runtime, resources);
    const sender = senderOf<PaymentRecord>(under, runtime, resources);
    const payment = await aRecordedPayment(store, { inBackground }, 600_000);
    const began = runtime.elapsed();
    let last = began;
    store.ledger.commit = () => {
      last = runtime.elapsed();
      return Promise.reject(new StoreUnavailableError('away'));
    };
    await expect(sender.send(payment)).rejects.toThrow(StoreUnavailableError);
    const askedMs = last - began;
    under.shutdown.close();
    return askedMs;
  };

  it('of request() ends in an error after ten seconds, because the host waits for it', async () => {
    expect(await askedForMs(false)).toBeLessThan(20_000);
  });

  it('of record() is tried as long as it may be sent', async () => {
    expect(await askedForMs(true)).toBeGreaterThan(500_000);
  });
});
