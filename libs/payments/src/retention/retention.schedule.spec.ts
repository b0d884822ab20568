import { describe, expect, it } from '@jest/globals';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import { MemoryStore } from '../stores/memory/memory.store.js';
import { SETTINGS, accountsOf } from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { WorkLookout } from '../runtime/work.lookout.js';
import { RetentionSchedule } from './retention.schedule.js';

describe('retention', () => {
  it('begins within minutes of the start, so that a process that restarts often still redacts and deletes', async () => {
    const runtime = new SkippingRuntime();
    const startedAt = runtime.now();
    const store = new MemoryStore(() => runtime.now());
    const accounts = accountsOf(SETTINGS);
    let appliedAt: number | null = null;
    store.retention.apply = async () => {
      appliedAt ??= runtime.now();
      return { redacted: 0, deleted: 0 };
    };
    const schedule = new RetentionSchedule(
      store.retention,
      new ShutdownSignal(runtime),
      accounts,
      store.plannedWork,
      new WorkLookout(store.dueWork, accounts, runtime),
      runtime,
    );
    await schedule.onApplicationBootstrap();
    while (appliedAt === null) await new Promise((resolve) => setImmediate(resolve));
    expect(appliedAt - startedAt).toBeLessThanOrEqual(5 * 60_000);
    await schedule.onModuleDestroy();
  });
});
