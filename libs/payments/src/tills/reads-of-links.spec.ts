import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aLedger,
  aPendingLink,
  anObservedTransaction,
  aTransaction,
  resourcesWith,
  type LedgerUnderTest,
  tillTransactionsOf,
} from '../testing/ledger.fixture.js';
import { MovedRuntime } from '../testing/moved.runtime.js';

Logger.overrideLogger(false);

describe('reads that money at a till causes', () => {
  let runtime: MovedRuntime;
  let store: MemoryStore;
  let under: LedgerUnderTest;
  beforeEach(() => {
    runtime = new MovedRuntime();
    store = new MemoryStore(() => runtime.now());
    under = aLedger(store, {}, runtime, resourcesWith({}));
  });
  afterEach(() => under.shutdown.close());

  it('do not include a read of every open link when a sale at the counter has the amount of the links', async () => {
    for (let n = 0; n < 60; n += 1) {
      const link = await aPendingLink(under, n);
      // They were read a while ago, and are due in an hour.
      await store.operations.schedule(link, { inMs: 3_600_000, checks: 7 });
    }
    runtime.advance(60_000);
    const service = tillTransactionsOf(under);
    const originationTime = new Date(runtime.now()).toISOString();
    await service.observe(anObservedTransaction(aTransaction({ originationTime })), 4_000);
    const due = await store.operations.claimDue(['default'], {
      followed: false,
      limit: 1_000,
      leaseMs: 1_000,
      sendLeaseMs: 1_000,
    });
    expect(due.length).toBeLessThanOrEqual(5);
  });
});
