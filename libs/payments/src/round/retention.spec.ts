import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { MemoryStore } from '../memory/memory.store.js';
import { SETTINGS, accountsOf } from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { DueWorkFinder } from '../queue/due-work-finder.js';
import { RetentionSchedule } from './retention.js';

Logger.overrideLogger(false);

interface Batch {
  redacted: number;
  deleted: number;
}

describe('retention', () => {
  let runtime: SkippingRuntime;
  let startedAt: number;
  let store: MemoryStore;
  let shutdown: ShutdownSignal;
  let schedule: RetentionSchedule;

  beforeEach(() => {
    runtime = new SkippingRuntime();
    startedAt = runtime.now();
    store = new MemoryStore(() => runtime.now());
    const accounts = accountsOf(SETTINGS);
    shutdown = new ShutdownSignal(runtime);
    const finder = new DueWorkFinder(store.dueWork, accounts, runtime);
    schedule = new RetentionSchedule(
      store.retention,
      shutdown,
      accounts,
      store.plannedWork,
      finder,
      runtime,
    );
  });
  afterEach(() => schedule.onModuleDestroy());

  /**
   * Starts the retention with a store that answers with these batches, one after the other, and then with nothing. Resolves with the times of the
   * batches.
   */
  const runs = async (batches: (() => Batch)[], isDone: (at: number[]) => boolean) => {
    const at: number[] = [];
    store.retention.apply = async (account, { limit }) => {
      expect([account, limit]).toEqual(['default', 500]);
      const next = batches[at.length] ?? (() => ({ redacted: 0, deleted: 0 }));
      at.push(runtime.now());
      return next();
    };
    await schedule.onApplicationBootstrap();
    while (!isDone(at)) await new Promise((resolve) => setImmediate(resolve));
    return at;
  };

  it('begins within minutes of the start, so that a process that restarts often still redacts and deletes', async () => {
    const [first] = await runs([], (at) => at.length > 0);
    expect(first! - startedAt).toBeLessThanOrEqual(5 * 60_000);
  });

  it('goes on at once as long as there was something to redact or to delete', async () => {
    const at = await runs(
      [() => ({ redacted: 1, deleted: 0 }), () => ({ redacted: 0, deleted: 1 })],
      ({ length }) => length >= 4,
    );
    expect(at[2]).toBe(at[0]);
    expect(at[3]! - at[2]!).toBeGreaterThan(0);
  });

  it('ends for now after 100 batches', async () => {
    const full = Array.from({ length: 101 }, () => () => ({ redacted: 500, deleted: 0 }));
    const at = await runs(full, ({ length }) => length > 100);
    expect(at[99]).toBe(at[0]);
    expect(at[100]).not.toBe(at[0]);
  });

  it('goes on later when the store fails', async () => {
    const fails = (): Batch => {
      throw new Error('away');
    };
    const at = await runs([fails], ({ length }) => length >= 2);
    expect(at[1]! - at[0]!).toBeGreaterThan(0);
  });

  it('ends when the application closes', async () => {
    const closes = (): Batch => {
      shutdown.close();
      return { redacted: 500, deleted: 0 };
    };
    const at = await runs([closes], ({ length }) => length >= 1);
    await schedule.onModuleDestroy();
    expect(at).toHaveLength(1);
  });
});
