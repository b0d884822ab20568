import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  MemoryStore,
  WebhookSubscriptionsService,
  type PaymentsOptions,
  type WebhookTopic,
} from '@tillkit/payments';
import { anomaliesOf } from '../support/anomalies.js';
import { deliver } from '../support/deliver.js';
import { Merchant } from '../support/merchant.js';
import { until } from '../support/until.js';

const SECRET = 'a-secret-of-more-than-32-characters-0001';

const TOPICS = [
  ['customer_created', 'customer.created', 'mobile_money_user'],
  ['settlement_transfer_completed', 'settlement.completed', 'transfer_batch'],
  ['m2m_transaction_received', 'merchant-transaction.received', 'payment_batches'],
] as const;

describe('Webhooks that only their URL verifies', () => {
  let merchant: Merchant;
  let store: MemoryStore;

  const open = async (deliveries: PaymentsOptions['deliveries'] = {}): Promise<void> => {
    await merchant?.close();
    store = new MemoryStore();
    merchant = await Merchant.open({
      payments: {
        store,
        apiKeys: [],
        urlSecrets: [SECRET],
        reconciliation: { sweepEveryMs: 0, requestsPerSecond: 1000 },
        deliveries,
      },
    });
  };

  beforeEach(() => open());

  afterEach(() => merchant.close());

  const subscribe = (eventType: WebhookTopic): Promise<unknown> =>
    merchant.app.get(WebhookSubscriptionsService).create({ eventType, scope: 'company' });

  const forged = (topic: string, collection: string, id: string | null): string =>
    JSON.stringify({
      topic,
      id: randomUUID(),
      created_at: new Date().toISOString(),
      event: {
        type: 'Any',
        resource: {
          first_name: 'Forged',
          amount: '999.0',
          currency: 'KES',
          status: topic === 'settlement_transfer_completed' ? 'Transferred' : 'Received',
        },
      },
      _links: { resource: id === null ? null : `http://evil.example/${collection}/${id}` },
    });

  /** Reads of the platform under a collection. */
  const reads = (collection: string): string[] =>
    merchant.simulator.journal
      .entries()
      .flatMap((entry) => (entry.type === 'request' ? [new URL(entry.url).pathname] : []))
      .filter((path) => path.startsWith(`/${collection}/`));

  it.each(TOPICS)('of topic %s emit %s after the platform has confirmed it', async (...row) => {
    const [topic, event] = row;
    await subscribe(topic);
    await subscribe(topic);
    await merchant.simulator.emit(topic);
    await until(
      async () =>
        (await store.deliveries.list('default', { state: 'done' }, { limit: 10 })).items.length ===
        2,
    );
    await merchant.received.next(event);
    expect(merchant.received.named(event)).toMatchObject([{ via: 'status' }]);
  });

  it.each(TOPICS)(
    'of topic %s emit %s with what the platform shows, not with what they say',
    async (topic, event, collection) => {
      await subscribe(topic);
      merchant.simulator.faults.once('lose', { topic });
      await merchant.simulator.emit(topic);
      const [lost] = merchant.simulator.deliveries.list();
      const { _links: links } = JSON.parse(String(lost?.body)) as { _links: { resource: string } };
      const id = links.resource.split('/').at(-1) as string;
      await deliver(merchant.webhookUrl, forged(topic, collection, id));
      const shown = await merchant.received.next(event);
      expect(JSON.stringify(shown)).not.toMatch(/Forged|999\.0/);
    },
  );

  it.each(TOPICS)(
    'of topic %s emit no %s when the platform does not have it',
    async (topic, event, collection) => {
      await open({ unmatchedForMs: 0 });
      await deliver(merchant.webhookUrl, forged(topic, collection, 'forged-1'));
      expect(await merchant.received.next('delivery.unrecognised')).toMatchObject({ topic });
      expect(merchant.received.named(event)).toEqual([]);
      expect(reads(collection)).toContain(`/${collection}/forged-1`);
      await until(async () => (await anomaliesOf(store)).length > 0);
      expect(await anomaliesOf(store)).toMatchObject([{ what: `unrecognised ${topic}` }]);
    },
  );

  it.each(TOPICS)(
    'of topic %s emit no %s when they name nothing that could be read',
    async (topic, event, collection) => {
      await deliver(merchant.webhookUrl, forged(topic, collection, null));
      expect(await merchant.received.next('delivery.unrecognised')).toMatchObject({ topic });
      expect(merchant.received.named(event)).toEqual([]);
      expect(reads(collection)).toEqual([]);
    },
  );

  it.each(TOPICS.slice(1))(
    'of topic %s emit no %s when the platform shows another status',
    async (topic, event, collection) => {
      await open({ unmatchedForMs: 0 });
      await subscribe(topic);
      await merchant.simulator.emit(topic, { id: 'pending-1', status: 'Pending' });
      await deliver(merchant.webhookUrl, forged(topic, collection, 'pending-1'));
      await merchant.received.next('delivery.unrecognised');
      expect(merchant.received.named(event)).toEqual([]);
    },
  );

  it('are confirmed later when the platform fails at first', async () => {
    await subscribe('customer_created');
    merchant.simulator.faults.once('read-404', { resource: 'mobile_money_user' });
    await merchant.simulator.emit('customer_created');
    expect((await merchant.received.next('customer.created')).via).toBe('status');
    expect(reads('mobile_money_user').length).toBeGreaterThan(1);
  });
});
