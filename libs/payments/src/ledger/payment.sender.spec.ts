import { describe, expect, it } from '@jest/globals';
import { ClosingSignal } from '../http/closing.signal.js';
import { PlatformClock } from '../http/platform.clock.js';
import { PlatformTimeoutError } from '../payments.errors.js';
import type { CallbackUrls } from '../resources/callback-urls.js';
import type { IncomingPaymentsService } from '../resources/incoming-payments/incoming-payments.service.js';
import type { PlatformClient } from '../resources/platform.client.js';
import type { TokensService } from '../resources/tokens/tokens.service.js';
import { Runtime } from '../runtime/runtime.js';
import { aNewPayment, SETTINGS } from '../testing/ledger.fixture.js';
import { LedgerFeed } from './ledger.feed.js';
import { Ledger } from './ledger.js';
import { MemoryStore } from './memory/memory.store.js';
import { PaymentSender } from './payment.sender.js';

const BEHIND_MS = 20 * 60_000;

class BehindRuntime extends Runtime {
  override now(): number {
    return Date.now() - BEHIND_MS;
  }
}

describe('a payment that is sent', () => {
  it("is dated by the platform's clock, also when the create's answer is the first that tells its time", async () => {
    const runtime = new BehindRuntime();
    const closing = new ClosingSignal(runtime);
    const clock = new PlatformClock(runtime);
    const store = new MemoryStore();
    const ledger = new Ledger(store, new LedgerFeed(closing), clock, SETTINGS);
    const client = {
      learnClock: () =>
        Promise.reject(new PlatformTimeoutError('read the clock', new Error('late'))),
    };
    const platform = {
      send: async () => {
        clock.observe(new Date().toUTCString(), runtime.now(), runtime.now());
        return { kind: 'created', id: 'p1' };
      },
    };
    const sender = new PaymentSender(
      ledger,
      { get: async () => 'token' } as unknown as TokensService,
      client as unknown as PlatformClient,
      platform as unknown as IncomingPaymentsService,
      { callback: () => 'https://shop.test/callback' } as unknown as CallbackUrls,
      closing,
      SETTINGS,
      runtime,
      clock,
    );
    const recorded = await store.recordPayment(aNewPayment(), { sendBeforeMs: 60_000 });
    if (recorded.kind !== 'recorded') throw new Error(recorded.kind);
    const before = Date.now();
    const { state, sentAt } = await sender.send(recorded.payment);
    expect(state).toBe('pending');
    expect(Math.abs((sentAt?.getTime() ?? 0) - before)).toBeLessThan(BEHIND_MS / 2);
    closing.close();
  });
});
