import { beforeEach, expect, it } from '@jest/globals';
import { MemoryStore, SweepsService } from '@tillkit/payments';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequest, type Merchant } from '../support/merchant.js';
import { scripted } from '../support/scripted.merchant.js';
import { until } from '../support/until.js';

const { platform, open } = scripted();
let store: MemoryStore;
let merchant: Merchant;

/** Money at the till of another account of the same company: the platform lists it to this account too. */
const OTHERS = {
  id: 'one',
  reference: 'OTHERS1',
  status: 'Received',
  amount: '100.0',
  currency: 'KES',
  till_number: '000222',
  origination_time: new Date().toISOString(),
  sender_first_name: 'Jane',
  sender_last_name: 'Doe',
  sender_phone_number: '+254700000099',
};

beforeEach(async () => {
  platform.lists({ type: 'Buygoods Transaction', resource: OTHERS });
  store = new MemoryStore();
  merchant = await open({
    store,
    apiKeys: ['key'],
    tillNumber: '514459',
    tills: ['514459'],
    reconciliation: { sweepEveryMs: 0 },
  });
});
const shown = async (): Promise<string> => {
  const found = await merchant.payments.findTransaction({
    reference: 'OTHERS1',
    tillNumber: '000222',
  });
  const list = await store.transactions.list('default', {}, { limit: 10 });
  return JSON.stringify([found, list.items]);
};

it('An account that lists its tills neither keeps nor shows money at the till of another one after a sweep', async () => {
  await merchant.app.get(SweepsService).sweep();
  expect(platform.count('GET /api/v2/polling/one')).toBeGreaterThan(0);
  expect(merchant.received.named('till.transaction.received')).toEqual([]);
  expect(await shown()).toBe('[null,[]]');
});

it('An account that lists its tills does not report money at the till of another one', async () => {
  const from = new Date(Date.now() - 60_000);
  const report = await merchant.reconciliation.report({ from, to: new Date(Date.now() + 60_000) });
  expect(report.missingHere).toEqual([]);
});

it('An account that lists its tills neither keeps nor shows money at the till of another one after a webhook', async () => {
  await deliverSigned(merchant.webhookUrl, webhookBody(OTHERS), 'key');
  await until(
    async () =>
      (await store.deliveries.list('default', { state: 'done' }, { limit: 9 })).items.length === 1,
  );
  expect(await shown()).toBe('[null,[]]');
});

it('An account that lists its tills requests no money at the till of another one, because it would ignore that money', async () => {
  await expect(merchant.payments.request(aRequest({ tillNumber: '000222' }))).rejects.toMatchObject(
    {
      code: 'PAYMENTS_VALIDATION',
      message: expect.stringContaining(
        'tillNumber 000222 is none of the tills that the account lists',
      ),
    },
  );
  expect(platform.asked).toEqual([]);
});
