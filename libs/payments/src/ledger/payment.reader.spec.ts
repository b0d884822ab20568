import { describe, expect, it } from '@jest/globals';
import { BackgroundPacer } from '../http/background.pacer.js';
import { ClosingSignal } from '../http/closing.signal.js';
import { PlatformClock } from '../http/platform.clock.js';
import type { IncomingPaymentsService } from '../resources/incoming-payments/incoming-payments.service.js';
import { Runtime } from '../runtime/runtime.js';
import {
  aNewPayment,
  anIncomingPayment,
  aTransaction,
  SETTINGS,
} from '../testing/ledger.fixture.js';
import { LedgerFeed } from './ledger.feed.js';
import { Ledger } from './ledger.js';
import { MemoryStore } from './memory/memory.store.js';
import { PaymentReader } from './payment.reader.js';
import type { PaymentRecord } from './payment.js';

describe('a read of a payment', () => {
  it('that waits for its turn asks nothing when the payment has settled before it', async () => {
    const runtime = new Runtime();
    const closing = new ClosingSignal(runtime);
    const clock = new PlatformClock(runtime);
    const store = new MemoryStore();
    const ledger = new Ledger(store, new LedgerFeed(closing), clock, SETTINGS);
    const asked: string[] = [];
    const platform = {
      get: async (id: string) => {
        asked.push(id);
        return anIncomingPayment(id, 'Pending', null);
      },
    } as unknown as IncomingPaymentsService;
    const pacer = new BackgroundPacer(closing, SETTINGS, runtime);
    const reader = new PaymentReader(platform, ledger, pacer, clock);

    const recorded = await store.recordPayment(aNewPayment(), { sendBeforeMs: 60_000 });
    if (recorded.kind !== 'recorded') throw new Error(recorded.kind);
    const sent = await ledger.markRequested(recorded.payment, 'one', 1_000);
    const pending = await ledger.takeAnswer(sent as PaymentRecord, {
      kind: 'created',
      id: 'platform-1',
    });
    const success = anIncomingPayment('platform-1', 'Success', aTransaction());
    await ledger.takeIncomingPayment(pending.id, success, 'callback');

    const read = await reader.read({ ...pending, platformId: 'platform-1' }, 'overdue');
    expect(read).toMatchObject({ state: 'succeeded' });
    expect(asked).toEqual([]);
    closing.close();
  });
});
