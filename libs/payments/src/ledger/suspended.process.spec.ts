import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { PaymentsService } from '../operations/payments/payments.service.js';
import type { CreateOutcome, Sending } from '../platform/sending.js';
import { Runtime } from '../runtime/clock.js';
import { MemoryStore } from '../memory/memory.store.js';
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

describe('a process between the recording of a payment and its create', () => {
  let under: LedgerUnderTest;
  /** The milliseconds that were left to send each create. */
  let leftMs: number[];
  let payments: PaymentsService;
  let runtime: SleepingRuntime;
  let store: MemoryStore;
  let token: { status: 'valid' | 'none' };

  beforeEach(() => {
    runtime = new SleepingRuntime();
    store = new MemoryStore(() => runtime.now());
    leftMs = [];
    token = { status: 'valid' };
    const post = async (...given: readonly unknown[]): Promise<CreateOutcome> => {
      const sending = given.find((each) => 'limit' in Object(each)) as Sending;
      leftMs.push(sending.limit.leftMs);
      return { kind: 'created', id: 'platform-1' };
    };
    ({ under, payments } = warmPayments(store, runtime, post, token));
  });
  afterEach(() => under.shutdown.close());

  it('does not send a payment when it was suspended during the recording', async () => {
    const { record } = store.operations;
    store.operations.record = async (...given) => {
      const recorded = await record.apply(store.operations, given);
      runtime.sleep();
      return recorded;
    };
    expect(await payments.request(ASKED)).toMatchObject({ state: 'failed', reason: 'not_sent' });
    expect(leftMs).toEqual([]);
  });

  it('does not send a payment when it was suspended during the commit before the create', async () => {
    token.status = 'none';
    const { commit } = store.ledger;
    store.ledger.commit = async (changes) => {
      store.ledger.commit = commit;
      const results = await store.ledger.commit(changes);
      runtime.sleep();
      return results;
    };
    expect(await payments.request(ASKED)).toMatchObject({ state: 'failed', reason: 'not_sent' });
    expect(leftMs).toEqual([]);
  });

  it('has the whole time to send a payment when it was not suspended', async () => {
    await payments.request(ASKED);
    expect(leftMs[0]).toBeGreaterThan(30_000);
  });
});
