import { afterEach, expect, it } from '@jest/globals';
import { MemoryStore } from '@tillkit/payments';
import { commitTo } from '../contracts/store-under-test.js';
import { deliver, deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequestFrom, Merchant } from '../support/merchant.js';
import { ScriptedPlatform } from '../support/scripted.platform.js';
import { until } from '../support/until.js';

const MINUTE = 60_000;
const PHONE = '+254700000050';

let merchant: Merchant;
afterEach(() => merchant.close());

it.each(['Received', 'Authorised'])(
  'An unsigned webhook of a card with the status %s is confirmed by a list that does not say that it is a card',
  async (status) => {
    const platform = await ScriptedPlatform.open();
    const resource = {
      id: 'one',
      reference: 'R1',
      status,
      amount: '100.0',
      currency: 'KES',
      till_number: '514459',
      origination_time: new Date().toISOString(),
    };
    platform.lists({ type: 'POS Transaction', resource });
    merchant = await Merchant.open({
      payments: {
        ...platform.settings,
        store: new MemoryStore(),
        apiKeys: [],
        urlSecrets: ['a-secret-of-more-than-32-characters-0001'],
        reconciliation: { sweepEveryMs: 0, requestsPerSecond: 1000 },
        deliveries: { acceptedStatuses: { card_transaction_received: ['Authorised'] } },
      },
    });
    const webhook = {
      topic: 'card_transaction_received',
      id: 'w',
      event: { type: 'Any', resource },
    };
    await deliver(merchant.webhookUrl, JSON.stringify({ ...webhook, _links: {} }));
    const { transaction } = await merchant.received.next('till.transaction.received');
    expect(transaction).toMatchObject({ status, kind: 'card' });
    await platform.close();
  },
);

it.each([
  ['Received', ['Received']],
  ['another word that the host accepts, and then as Received', ['Pending', 'Received']],
])('A payment without an id succeeds by money that the platform shows as %s', async (_, words) => {
  const store = new MemoryStore();
  await store.sweeps.progress('default', new Date(Date.now() - 60 * MINUTE));
  merchant = await Merchant.open({
    payments: {
      reconciliation: {
        scheduleMs: [20, 40, 60],
        intervalMs: 10,
        requestsPerSecond: 1000,
        sweepEveryMs: 0,
      },
      deliveries: { acceptedStatuses: { buygoods_transaction_received: ['Pending'] } },
      store,
    },
  });
  merchant.simulator.faults.once('create-5xx-before-commit');
  const { id, state } = await merchant.payments.request(aRequestFrom(PHONE));
  expect(state).toBe('unknown');
  const originatedAt = Date.now() - 19 * MINUTE;
  // The sweep lists it as Received too.
  const { reference } = await merchant.simulator.payTill({
    tillNumber: '514459',
    phoneNumber: PHONE,
    amount: 100,
    originatedAt,
    silent: true,
  });
  for (const [index, status] of words.entries()) {
    const body = webhookBody({
      reference,
      status,
      sender_phone_number: PHONE,
      origination_time: new Date(originatedAt).toISOString(),
    });
    await deliverSigned(merchant.webhookUrl, body, merchant.simulator.apiKey);
    await until(
      async () =>
        (await store.deliveries.list('default', { state: 'done' }, { limit: 9 })).items.length >
        index,
    );
  }
  const { version } = (await store.operations.find('default', id)) as { version: number };
  await commitTo(store, {
    account: 'default',
    operation: { id, version, set: { sentAt: new Date(Date.now() - 20 * MINUTE) }, dueInMs: 0 },
    events: [],
    history: [],
  });
  await until(async () => (await store.operations.find('default', id))?.state !== 'unknown');
  expect((await store.operations.find('default', id))?.state).toBe('succeeded');
});
