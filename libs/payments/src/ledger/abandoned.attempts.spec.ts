import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { PaymentsService } from '../operations/payments/payments.service.js';
import {
  OperationOutcomeUnknownError,
  PlatformTimeoutError,
  StoreUnavailableError,
} from '../payments.errors.js';
import type { CreateOutcome } from '../resources/platform.client.js';
import { MemoryStore } from '../stores/memory/memory.store.js';
import type { LedgerUnderTest } from '../testing/ledger.fixture.js';
import { ASKED, warmPayments } from '../testing/warm-payments.fixture.js';
import { Runtime } from '../runtime/runtime.js';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import type { TimeLimit } from '../runtime/time-limit.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { AbandonedAttempts } from './abandoned.attempts.js';
import type { Operation, Sending } from './operation.js';

Logger.overrideLogger(false);

describe('an operation whose recording was not confirmed', () => {
  let store: MemoryStore;
  let under: LedgerUnderTest;
  let payments: PaymentsService;
  let sent: number;

  beforeEach(() => {
    jest.useFakeTimers();
    store = new MemoryStore();
    sent = 0;
    const post = async (_request: unknown, limit: unknown): Promise<CreateOutcome> => {
      if ((limit as TimeLimit).isOver)
        return { kind: 'not_sent', error: new PlatformTimeoutError('send', new Error('too late')) };
      sent += 1;
      return { kind: 'created', id: `platform-${sent}` };
    };
    ({ under, payments } = warmPayments(store, new Runtime(), post));
  });

  afterEach(() => {
    under.shutdown.close();
    jest.useRealTimers();
  });

  /** The next recording takes effect, but its answer is lost. */
  const loseAnswer = (): void => {
    const { record } = store.operations;
    store.operations.record = async (...given) => {
      store.operations.record = record;
      await store.operations.record(...given);
      throw new StoreUnavailableError('the connection was reset');
    };
  };

  const askInVain = async (): Promise<void> => {
    loseAnswer();
    await expect(payments.request(ASKED)).rejects.toThrow(OperationOutcomeUnknownError);
    expect(await payments.findByIdempotencyKey('order-1')).toMatchObject({ state: 'requested' });
    expect(sent).toBe(0);
  };

  it('is sent when the host asks again with the same key, and only once', async () => {
    await askInVain();
    const asked = await Promise.all([payments.request(ASKED), payments.request(ASKED)]);
    expect(asked.map(({ state }) => state).toSorted()).toEqual(['pending', 'requested']);
    expect(sent).toBe(1);
    await jest.advanceTimersByTimeAsync(120_000);
    expect(await payments.findByIdempotencyKey('order-1')).toMatchObject({ state: 'pending' });
  });

  it('fails as not sent when nobody asks again in time, and is not sent later', async () => {
    await askInVain();
    await jest.advanceTimersByTimeAsync(50_000);
    expect(await payments.findByIdempotencyKey('order-1')).toMatchObject({ state: 'requested' });
    await jest.advanceTimersByTimeAsync(20_000);
    const failed = { state: 'failed', reason: 'not_sent' };
    expect(await payments.findByIdempotencyKey('order-1')).toMatchObject(failed);
    expect(await payments.request(ASKED)).toMatchObject(failed);
    expect(sent).toBe(0);
  });

  it('fails as not sent after an outage of the store', async () => {
    await askInVain();
    const { findMany } = store.operations;
    store.operations.findMany = () => Promise.reject(new StoreUnavailableError('it is away'));
    await jest.advanceTimersByTimeAsync(300_000);
    store.operations.findMany = findMany;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(await payments.findByIdempotencyKey('order-1')).toMatchObject({ state: 'failed' });
  });

  it('is not sent after its time, however long the store takes to allow a repeat of its request', async () => {
    await askInVain();
    await jest.advanceTimersByTimeAsync(58_000);
    const { hindrance } = store.traffic;
    store.traffic.hindrance = async (account) => {
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      return hindrance.call(store.traffic, account);
    };
    const { commit } = store.ledger;
    store.ledger.commit = async (changes) => {
      store.ledger.commit = commit;
      await store.ledger.commit(changes);
      throw new StoreUnavailableError('the connection was reset');
    };
    const asking = payments.request(ASKED);
    await jest.advanceTimersByTimeAsync(20_000);
    expect(await asking).toMatchObject({ state: 'failed', reason: 'not_sent' });
    expect(sent).toBe(0);
  });

  it('fails as not sent when the application closes', async () => {
    await askInVain();
    under.shutdown.close();
    await jest.advanceTimersByTimeAsync(0);
    expect(await payments.findByIdempotencyKey('order-1')).toMatchObject({ state: 'failed' });
  });

  it('that was sent is never failed as not sent, although its answer could not be stored', async () => {
    const { commit } = store.ledger;
    store.ledger.commit = () => Promise.reject(new StoreUnavailableError('it is away'));
    const asking = payments.request(ASKED).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(120_000);
    expect(await asking).toBeInstanceOf(OperationOutcomeUnknownError);
    store.ledger.commit = commit;
    await jest.advanceTimersByTimeAsync(120_000);
    expect(sent).toBe(1);
    expect(await payments.findByIdempotencyKey('order-1')).toMatchObject({ state: 'requested' });
  });
});

describe('an attempt that is added while the application closes', () => {
  it('is failed, also when another one was failed before', async () => {
    const runtime = new Runtime();
    const shutdown = new ShutdownSignal(runtime);
    const found = async (_account: string, ids: readonly string[]): Promise<unknown> =>
      new Map(ids.map((id) => [id, { id, sender: id }]));
    const attempts = new AbandonedAttempts({ findMany: found } as never, shutdown, runtime);
    const failed: string[] = [];
    const fail = async ({ id }: Operation): Promise<void> => void failed.push(id);
    shutdown.close();
    for (const id of ['one', 'two']) {
      attempts.add({ account: 'default', id }, { sender: id } as Sending, 60_000, fail);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await attempts.onModuleDestroy();
    expect(failed).toEqual(['one', 'two']);
  });

  it('is failed before the close ends, however long that takes', async () => {
    const runtime = new Runtime();
    const attempts = new AbandonedAttempts(
      { findMany: async () => new Map([['one', { id: 'one', sender: 'one' }]]) } as never,
      new ShutdownSignal(runtime),
      runtime,
    );
    let isFailed = false;
    attempts.add({ account: 'default', id: 'one' }, { sender: 'one' } as Sending, 60_000, () =>
      new Promise((resolve) => setTimeout(resolve, 20)).then(() => (isFailed = true)),
    );
    await attempts.onModuleDestroy();
    expect(isFailed).toBe(true);
  });
});

describe('an attempt that is added just after the last one was failed', () => {
  it.each([0, 1, 2, 3, 4, 5, 6])('is failed too, %s microtasks later', async (ticks) => {
    const runtime = new SkippingRuntime();
    const found = async (_account: string, ids: readonly string[]): Promise<unknown> =>
      new Map(ids.map((id) => [id, { id, sender: id }]));
    const shutdown = new ShutdownSignal(runtime);
    const attempts = new AbandonedAttempts({ findMany: found } as never, shutdown, runtime);
    const failed: string[] = [];
    const add = (id: string): void =>
      attempts.add({ account: 'default', id }, { sender: id } as Sending, 0, fail);
    const fail = async ({ id }: Operation): Promise<void> => {
      failed.push(id);
      if (id !== 'one') return;
      const addAfter = (left: number): void =>
        left === 0 ? add('two') : queueMicrotask(() => addAfter(left - 1));
      addAfter(ticks);
    };
    add('one');
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(failed).toEqual(['one', 'two']);
    shutdown.close();
  });
});
