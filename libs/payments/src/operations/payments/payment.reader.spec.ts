import { describe, expect, it } from '@jest/globals';
import { BackgroundRequests } from '../../http/background-requests.js';
import type { IncomingPaymentsService } from '../../resources/incoming-payments/incoming-payments.service.js';
import { Runtime } from '../../runtime/runtime.js';
import { MemoryStore } from '../../stores/memory/memory.store.js';
import {
  aLedger,
  anIncomingPayment,
  aPendingPayment,
  aSuccess,
} from '../../testing/ledger.fixture.js';
import { PaymentReader } from './payment.reader.js';

describe('a read of a payment', () => {
  it('asks the platform nothing when the payment has settled before its turn came', async () => {
    const runtime = new Runtime();
    const under = aLedger(new MemoryStore(), {}, runtime);
    const { ledger, evidence, shutdown, clock, settings } = under;
    const asked: string[] = [];
    const platform = {
      get: async (id: string) => {
        asked.push(id);
        return anIncomingPayment(id, 'Pending', null);
      },
    } as unknown as IncomingPaymentsService;
    const background = new BackgroundRequests(shutdown, settings, runtime);
    const reader = new PaymentReader(platform, ledger, evidence, background, clock);

    const pending = await aPendingPayment(under, 'platform-1');
    await evidence.apply(pending.id, aSuccess('platform-1'), 'callback');

    const read = await reader.read({ ...pending, platformId: 'platform-1' }, 'overdue');
    expect(read).toMatchObject({ state: 'succeeded' });
    expect(asked).toEqual([]);
    shutdown.close();
  });
});
