import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { PaymentsService } from '../operations/payments/payments.service.js';
import type { RequestPayment } from '../operations/payments/request-payment.dto.js';
import type { CreateOutcome } from '../resources/platform.client.js';
import { Runtime } from '../runtime/runtime.js';
import type { TimeLimit } from '../runtime/time-limit.js';
import { MemoryStore } from '../stores/memory/memory.store.js';
import { aLedger, resourcesWith, type LedgerUnderTest } from '../testing/ledger.fixture.js';
import { READY, toolsOf } from '../testing/operation-tools.fixture.js';

Logger.overrideLogger(false);

const ASKED: RequestPayment = {
  idempotencyKey: 'order-1',
  subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000001' },
  amount: { currency: 'KES', value: '100.00' },
  tillNumber: '514459',
};
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
    const resources = resourcesWith({
      ...READY,
      tokens: { ...READY.tokens, isWarm: true },
      incomingPayments: {
        post,
        complete: (given: object) => ({ paymentChannel: 'M-PESA STK Push', ...given }),
      },
    });
    under = aLedger(store, {}, runtime, resources);
    const clock = under.clocks.of('default');
    clock.observe(new Date(runtime.now()).toUTCString(), runtime.now(), runtime.now());
    payments = new PaymentsService(
      toolsOf(under, runtime, resources),
      under.settings,
      store.transactions,
      resources,
    );
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
