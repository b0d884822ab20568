import { describe, expect, it } from '@jest/globals';
import { ClosingSignal } from '../http/closing.signal.js';
import { MemoryStore } from '../ledger/memory/memory.store.js';
import { SETTINGS } from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { RetentionSchedule } from './retention.schedule.js';

describe('retention', () => {
  it('begins within minutes of the start, so that a process that restarts often forgets all the same', async () => {
    const runtime = new SkippingRuntime();
    const startedAt = runtime.now();
    const store = new MemoryStore();
    let purgedAt: number | null = null;
    store.purge = async () => {
      purgedAt ??= runtime.now();
      return { redacted: 0, removed: 0 };
    };
    const schedule = new RetentionSchedule(store, new ClosingSignal(runtime), SETTINGS);
    schedule.onApplicationBootstrap();
    while (purgedAt === null) await new Promise((resolve) => setImmediate(resolve));
    expect(purgedAt - startedAt).toBeLessThanOrEqual(5 * 60_000);
    await schedule.onModuleDestroy();
  });
});
