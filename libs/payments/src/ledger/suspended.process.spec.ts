import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { PaymentsService } from '../operations/payments/payments.service.js';
import type { CreateOutcome } from '../resources/platform.client.js';
import { Runtime } from '../runtime/runtime.js';
import type { TimeLimit } from '../runtime/time-limit.js';
import { MemoryStore } from '../stores/memory/memory.store.js';
import type { LedgerUnderTest } from '../testing/ledger.fixture.js';
import { ASKED, warmPayments } from '../testing/warm-payments.fixture.js';

Logger.overrideLogger(false);

const SUSPENDED_MS = 20 * 60_000;

/** A laptop that sleeps, or a virtual machine that is paused: only the wall clock goes on. */
class SleepingRuntime extends Runtime {
  private sleptMs = 0;

  override now(): number {
    return super.now() + this.sleptMs;
  }

  sleep(): void {
    this.sleptMs += SUSPENDED_MS;
  }
}

describe('a process that is suspended after a payment was recorded, before it knows that', () => {
  let under: LedgerUnderTest;
  /** Of each create: the milliseconds that are left to send it. */
  let leftMs: number[];
  let payments: PaymentsService;
  let runtime: SleepingRuntime;
  let store: MemoryStore;

  beforeEach(() => {
    runtime = new SleepingRuntime();
    store = new MemoryStore(() => runtime.now());
    leftMs = [];
    const post = async (...given: readonly unknown[]): Promise<CreateOutcome> => {
      const limit = given.find((each) => 'leftMs' in Object(each)) as TimeLimit;
      leftMs.push(limit.leftMs);
      return { kind: 'created', id: 'platform-1' };
    };
    ({ under, payments } = warmPayments(store, runtime, post));
  });
  afterEach(() => under.shutdown.close());

  it('has no time left to send it', async () => {
    const { record } = store.operations;
    store.operations.record = async (...given) => {
      const recorded = await record.apply(store.operations, given);
      runtime.sleep();
      return recorded;
    };
    await payments.request(ASKED);
    expect(leftMs).toHaveLength(1);
    expect(leftMs[0]).toBeLessThan(0);
  });

  it('has all its time when it was not suspended', async () => {
    await payments.request(ASKED);
    expect(leftMs[0]).toBeGreaterThan(30_000);
  });
});
