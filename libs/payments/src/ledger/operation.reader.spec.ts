import { describe, expect, it } from '@jest/globals';
import { BackgroundRequests } from '../../http/background-requests.js';
import { Runtime } from '../../runtime/runtime.js';
import { MemoryStore } from '../../stores/memory/memory.store.js';
import {
  aLedger,
  anIncomingPayment,
  aPendingPayment,
  aSuccess,
  resourcesWith,
} from '../../testing/ledger.fixture.js';
import { PaymentReader } from './payment.reader.js';

describe('a read of a payment', () => {
  it('sends no request when the payment has settled before its turn', async () => {
    const runtime = new Runtime();
    const under = aLedger(new MemoryStore(), {}, runtime);
    const { ledger, evidence, shutdown, clocks, accounts } = under;
    const asked: string[] = [];
    const resources = resourcesWith({
      incomingPayments: {
        get: async (id: string) => {
          asked.push(id);
          return anIncomingPayment(id, 'Pending', null);
        },
      },
    });
    const background = new BackgroundRequests(shutdown, accounts, runtime);
    const reader = new PaymentReader(resources, ledger, evidence, background, clocks);

    const pending = await aPendingPayment(under, 'platform-1');
    await evidence.apply(pending, aSuccess('platform-1'), 'callback');

    const read = await reader.read({ ...pending, platformId: 'platform-1' }, 'overdue');
    expect(read).toMatchObject({ state: 'succeeded' });
    expect(asked).toEqual([]);
    shutdown.close();
  });
});
