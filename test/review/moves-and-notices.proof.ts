import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  MemoryStore,
  PaymentsAccounts,
  PaymentsModule,
  type AddedAccountOptions,
} from '@tillkit/payments';
import { deliverSigned } from '../support/deliver.js';
import { Merchant } from '../support/merchant.js';
import { EXPRESS } from '../support/platforms.js';

let merchant: Merchant;
let store: MemoryStore;
let accounts: PaymentsAccounts;

beforeEach(async () => {
  store = new MemoryStore();
  merchant = await Merchant.open({
    platform: EXPRESS,
    payments: { store, reconciliation: false },
    imports: [PaymentsModule.forAccounts({ reconciliation: { sweepEveryMs: 0 } })],
  });
  accounts = merchant.app.get(PaymentsAccounts);
});
afterEach(() => merchant.close());

const aShop = (tillNumber: string, key: string): AddedAccountOptions => ({
  baseUrl: merchant.simulator.url,
  clientId: merchant.simulator.clientId,
  clientSecret: merchant.simulator.clientSecret,
  publicUrl: merchant.url,
  apiKeys: [key],
  tillNumber,
  tills: [tillNumber],
});

it('REVIEW a till that one account has given up is free for another one', async () => {
  await accounts.add('a', aShop('000101', 'key-a'));
  await accounts.add('a', aShop('000102', 'key-a'));
  const b = await accounts.add('b', aShop('000101', 'key-b'));
  expect(b.name).toBe('b');
});

it('REVIEW two accounts that have exchanged their tills can be loaded again', async () => {
  await accounts.add('a', aShop('000101', 'key-a'));
  await accounts.add('b', aShop('000102', 'key-b'));
  const results: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    for (const [name, till] of [
      ['a', '000102'],
      ['b', '000101'],
    ] as const)
      results.push(
        await accounts.add(name, aShop(till, `key-${name}`)).then(
          () => 'changed',
          () => 'refused',
        ),
      );
  }
  expect(results).toContain('changed');
});

it.each([
  ['m2m_transaction_received', 'Received', 'merchant-transaction.received'],
  ['settlement_transfer_completed', 'Transferred', 'settlement.completed'],
] as const)(
  'REVIEW another amount under the same %s is an anomaly',
  async (topic, status, event) => {
    await accounts.add('shop', aShop('000101', 'key-a'));
    const body = (id: string, amount: string): string =>
      JSON.stringify({
        topic,
        id,
        created_at: new Date().toISOString(),
        event: {
          type: 'x',
          resource: {
            id: 'one-and-the-same',
            amount,
            currency: 'KES',
            status,
            origination_time: new Date().toISOString(),
          },
        },
        _links: {},
      });
    const url = `${merchant.url}/payments/accounts/shop/webhooks`;
    expect((await deliverSigned(url, body('w1', '100.00'), 'key-a')).status).toBe(200);
    await merchant.received.next(event, ({ account }) => account === 'shop');
    expect((await deliverSigned(url, body('w2', '99000.00'), 'key-a')).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(merchant.received.named(event)).toHaveLength(1);
    const anomalies = await store.anomalies.list('shop');
    expect(anomalies).not.toEqual([]);
  },
);
