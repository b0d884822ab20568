import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  DeliveriesService,
  MemoryStore,
  WebhookSubscriptionsService,
  type PaymentsEventName,
  type PaymentsEvents,
  type PaymentsOptions,
  type WebhookTopic,
} from '@tillkit/payments';
import type { DeliveryState } from '@tillkit/payments/internal/store';
import { anomaliesOf } from '../support/anomalies.js';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { Merchant } from '../support/merchant.js';
import { quickTime } from '../support/quick.clock.js';
import { until } from '../support/until.js';

const CARD = '4111111111111111';

const COMPANY_TOPICS = [
  ['customer_created', 'customer.created'],
  ['settlement_transfer_completed', 'settlement.completed'],
  ['m2m_transaction_received', 'merchant-transaction.received'],
] as const;

describe('Webhooks', () => {
  let merchant: Merchant;
  let store: MemoryStore;

  const open = async (payments: PaymentsOptions = {}, speed = 1): Promise<void> => {
    await merchant?.close();
    store = new MemoryStore(quickTime(speed));
    merchant = await Merchant.open({
      speed,
      payments: {
        store,
        reconciliation: { sweepEveryMs: 0, requestsPerSecond: 1000 },
        ...payments,
      },
    });
  };

  beforeEach(() => open());

  afterEach(() => merchant.close());

  const subscribe = async (
    eventType: WebhookTopic,
    scope: 'till' | 'company' = 'till',
    enableDarajaPayload?: boolean,
  ): Promise<void> => {
    await merchant.app.get(WebhookSubscriptionsService).create({
      eventType,
      scope,
      ...(scope === 'till' && { scopeReference: '514459' }),
      ...(enableDarajaPayload !== undefined && { enableDarajaPayload }),
    });
  };

  const post = async (body: object | string): Promise<void> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await deliverSigned(merchant.webhookUrl, text, merchant.simulator.apiKey);
    expect(answer.status).toBe(200);
  };

  /** Returns a webhook in the platform's own format. */
  const webhook = (topic: string, resource: object | null, more: object = {}): object => ({
    topic,
    id: randomUUID(),
    created_at: new Date().toISOString(),
    event: { type: 'Any', resource },
    _links: { self: 'http://other.example/webhook_events/1', resource: null },
    ...more,
  });

  /** Waits for this number of stored deliveries in this state. */
  const stored = async (count: number, state: DeliveryState = 'done'): Promise<void> =>
    until(
      async () =>
        (await store.deliveries.list('default', { state }, { limit: 100 })).items.length === count,
    );

  const anomalies = async (): Promise<string[]> =>
    (await anomaliesOf(store)).map(({ what }) => what);

  const bodies = async (): Promise<string> => {
    const { items } = await store.deliveries.list('default', {}, { limit: 100 });
    const found = await Promise.all(items.map(({ id }) => store.deliveries.find('default', id)));
    return found.map((delivery) => delivery?.body.toString()).join('\n');
  };

  describe('that report money at a till', () => {
    it.each([
      ['buygoods', undefined, 'buygoods_transaction_received', 'buygoods_transaction_reversed'],
      ['b2b', 'Corner Shop', 'b2b_transaction_received', 'b2b_transaction_reversed'],
    ] as const)(
      'emit received and reversed events of the kind %s',
      async (kind, sendingTill, received, reversed) => {
        await subscribe(received);
        await subscribe(reversed);
        const { reference } = await merchant.simulator.payTill({
          tillNumber: '514459',
          phoneNumber: '+254700000077',
          amount: 50,
          ...(sendingTill !== undefined && { sendingTill }),
        });
        const came = await merchant.received.next('till.transaction.received');
        expect(came.transaction).toMatchObject({
          reference,
          kind,
          sendingTill: sendingTill ?? null,
          cardNumber: null,
          settled: null,
        });
        await merchant.simulator.reverse(reference);
        const back = await merchant.received.next('till.transaction.reversed');
        expect(back.transaction).toMatchObject({ reference, kind, status: 'Reversed' });
      },
    );

    it.each([
      ['card_transaction_received', 'till.transaction.received', 'Received', false],
      ['card_transaction_voided', 'till.transaction.reversed', 'Voided', null],
      ['card_transaction_reversed', 'till.transaction.reversed', 'Reversed', null],
    ] as const)('of topic %s emit %s with what is known of the card', async (...row) => {
      const [topic, event, status, settled] = row;
      await subscribe(topic);
      await merchant.simulator.emit(topic, { till_number: '514459', reference: 'CARD1' });
      const { transaction } = await merchant.received.next(event);
      expect(transaction).toMatchObject({
        reference: 'CARD1',
        kind: 'card',
        status,
        settled,
        cardNumber: '1111',
        senderPhoneNumber: null,
      });
    });

    it('leave no card number in stored deliveries, transactions and events, only its last digits', async () => {
      await subscribe('card_transaction_received');
      await merchant.simulator.emit('card_transaction_received', {
        till_number: '514459',
        reference: 'CARD1',
        customer_cc_number: CARD,
      });
      await post(webhook('card_transaction_declined', { customer_cc_number: Number(CARD) }));
      const event = await merchant.received.next('till.transaction.received');
      await merchant.received.next('delivery.unrecognised');
      const found = await merchant.payments.findTransaction({
        reference: 'CARD1',
        tillNumber: '514459',
      });
      expect(found).toMatchObject({ cardNumber: '1111', raw: { customer_cc_number: '1111' } });
      const text = `${JSON.stringify([event, found])}\n${await bodies()}`;
      expect(text).not.toContain(CARD);
      expect(text).toContain('"customer_cc_number":"1111"');
    });

    it('with a card number are one delivery when they come again', async () => {
      await subscribe('card_transaction_received');
      await merchant.simulator.emit('card_transaction_received', {
        till_number: '514459',
        customer_cc_number: CARD,
      });
      await merchant.received.next('till.transaction.received');
      const [delivery] = merchant.simulator.deliveries.list();
      await merchant.simulator.deliveries.resend(delivery?.id as string);
      const { items } = await store.deliveries.list('default', {}, { limit: 10 });
      expect(items).toMatchObject([{ duplicates: 1 }]);
    });

    it.each([
      ['buygoods', undefined, 'buygoods_transaction_received'],
      ['b2b', 'Corner Shop', 'b2b_transaction_received'],
    ] as const)(
      'of the kind %s are one event in the own and the Daraja format',
      async (kind, sendingTill, topic) => {
        await subscribe(topic, 'till', true);
        await subscribe(topic, 'company', false);
        await merchant.simulator.payTill({
          tillNumber: '514459',
          phoneNumber: '+254700000077',
          amount: 50,
          ...(sendingTill !== undefined && { sendingTill }),
        });
        await stored(2);
        const events = merchant.received.named('till.transaction.received');
        expect(events).toHaveLength(1);
        expect(events[0]?.transaction).toMatchObject({ kind, sendingTill: sendingTill ?? null });
        expect(await anomalies()).toEqual([]);
      },
    );

    it.each([
      ['Buygoods', 'buygoods', { senderFirstName: 'Jane', sendingTill: null }],
      ['Buy Goods', 'buygoods', { senderPhoneNumber: '+254700000077' }],
      ['Pay Bill', 'buygoods', { senderLastName: 'Doe' }],
      ['Business Payment', 'b2b', { sendingTill: 'Jane', senderFirstName: null }],
      [
        'Organization To Organization Transfer',
        'b2b',
        { sendingTill: 'Jane', senderLastName: null, senderPhoneNumber: '+254700000077' },
      ],
    ])('in the Daraja format with the type %s are of the kind %s', async (type, kind, sender) => {
      const raw = {
        TransactionType: type,
        TransID: 'DARAJA1',
        TransTime: '20261121083000',
        TransAmount: '75.50',
        BusinessShortCode: '514459',
        ThirdPartyTransId: 'third',
        MSISDN: '+254700000077',
        FirstName: 'Jane',
        MiddleName: null,
        LastName: 'Doe',
      };
      await post(raw);
      const { transaction } = await merchant.received.next('till.transaction.received');
      expect(transaction).toMatchObject({ kind, type, reference: 'DARAJA1', raw, ...sender });
    });

    it('say the kind of money that a payment of ours requested', async () => {
      await subscribe('buygoods_transaction_received');
      const { id } = await merchant.payments.request({
        idempotencyKey: randomUUID(),
        subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000001' },
        amount: { currency: 'KES', value: '100.00' },
      });
      const { paymentId, transaction } = await merchant.received.next('till.transaction.received');
      expect({ paymentId, kind: transaction.kind }).toEqual({ paymentId: id, kind: 'buygoods' });
    });
  });

  describe('about customers, settlements and merchant transactions', () => {
    it('emit customer.created with the id of the customer', async () => {
      await subscribe('customer_created', 'company');
      const [webhookEventId] = await merchant.simulator.emit('customer_created');
      const event = await merchant.received.next('customer.created');
      expect(event).toMatchObject({
        via: 'webhook',
        webhookEventId,
        customer: {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          firstName: 'Jane',
          middleName: null,
          lastName: 'Doe',
          phoneNumber: '+254700000001',
          raw: { first_name: 'Jane' },
        },
      });
      expect(event.customer.id).not.toBe(webhookEventId);
    });

    it('emit customer.created after the first till payment of a customer, and not after the next', async () => {
      await subscribe('customer_created', 'company');
      await subscribe('buygoods_transaction_received', 'company');
      const payment = { tillNumber: '514459', phoneNumber: '+254700000077', amount: 50 };
      await merchant.simulator.payTill({ ...payment, middleName: 'Wanjiru' });
      await merchant.simulator.payTill(payment);
      await stored(3);
      expect(merchant.received.named('till.transaction.received')).toHaveLength(2);
      expect(merchant.received.named('customer.created')).toMatchObject([
        { customer: { middleName: 'Wanjiru', phoneNumber: '+254700000077' } },
      ]);
    });

    it('emit settlement.completed with its bank account and its disbursements', async () => {
      await subscribe('settlement_transfer_completed', 'company');
      const [webhookEventId] = await merchant.simulator.emit('settlement_transfer_completed', {
        id: 'settled-1',
      });
      expect(await merchant.received.next('settlement.completed')).toMatchObject({
        webhookEventId,
        settlement: {
          id: 'settled-1',
          status: 'Transferred',
          amount: '100.0',
          currency: 'KES',
          destination: {
            type: 'Bank Account',
            accountName: 'Corner Shop',
            accountNumber: '0000000000',
            settlementMethod: 'EFT',
            phoneNumber: null,
          },
          disbursements: [
            { amount: '100.0', status: 'Transferred', transactionReference: expect.any(String) },
          ],
          transactionReference: null,
        },
      });
    });

    it('emit settlement.completed for a mobile wallet in the older format', async () => {
      await subscribe('settlement_transfer_completed', 'company');
      await merchant.simulator.emit('settlement_transfer_completed', {
        disbursements: undefined,
        transaction_reference: 'OLDER1',
        destination: {
          type: 'Mobile Wallet',
          resource: {
            reference: 'wallet-1',
            first_name: 'Jane',
            last_name: 'Doe',
            phone_number: '+254700000001',
            network: 'Safaricom',
          },
        },
      });
      expect((await merchant.received.next('settlement.completed')).settlement).toMatchObject({
        disbursements: [],
        transactionReference: 'OLDER1',
        destination: {
          type: 'Mobile Wallet',
          reference: 'wallet-1',
          firstName: 'Jane',
          lastName: 'Doe',
          phoneNumber: '+254700000001',
          network: 'Safaricom',
          accountNumber: null,
        },
      });
    });

    it('emit merchant-transaction.received', async () => {
      await subscribe('m2m_transaction_received', 'company');
      const [webhookEventId] = await merchant.simulator.emit('m2m_transaction_received', {
        id: 'm2m-1',
      });
      expect(await merchant.received.next('merchant-transaction.received')).toMatchObject({
        webhookEventId,
        merchantTransaction: {
          id: 'm2m-1',
          status: 'Received',
          amount: '100.0',
          currency: 'KES',
          sendingMerchant: 'Corner Shop',
        },
      });
      expect(merchant.received.named('till.transaction.received')).toEqual([]);
    });

    it.each(COMPANY_TOPICS)(
      'of topic %s emit one event for any number of subscriptions, deliveries, replays and restarts',
      async (topic, event) => {
        await subscribe(topic, 'company');
        await subscribe(topic, 'company');
        const ids = await merchant.simulator.emit(topic);
        expect(new Set(ids).size).toBe(2);
        await stored(2);
        for (const { id } of merchant.simulator.deliveries.list())
          await merchant.simulator.deliveries.resend(id);
        const { items } = await store.deliveries.list('default', {}, { limit: 10 });
        for (const { id } of items)
          expect(await merchant.app.get(DeliveriesService).replay(id)).toBe(true);
        await stored(2);
        expect(merchant.received.named(event)).toHaveLength(1);

        const { apiKey, url: baseUrl, clientId, clientSecret } = merchant.simulator;
        await merchant.app.close();
        const restarted = await Merchant.open({
          payments: { store, apiKeys: [apiKey], baseUrl, clientId, clientSecret },
        });
        try {
          for (const { id } of items) await restarted.app.get(DeliveriesService).replay(id);
          await stored(2);
          await deliverSigned(restarted.webhookUrl, webhookBody({ reference: 'LAST' }), apiKey);
          await restarted.received.next('till.transaction.received');
          expect(restarted.received.named(event)).toEqual([]);
        } finally {
          await restarted.close();
        }
      },
    );

    it.each(COMPANY_TOPICS)(
      'of topic %s without an id are recognised by the id of the webhook',
      async (topic, event) => {
        const resource = { amount: '10.0', currency: 'KES', status: accepted(topic) };
        const one = webhook(topic, resource, { id: 'webhook-1' });
        await post(one);
        await post({ ...one, sent: 'again' });
        await post(webhook(topic, resource, { id: 'webhook-2' }));
        await stored(3);
        expect(merchant.received.named(event).map((each) => each.webhookEventId)).toEqual([
          'webhook-1',
          'webhook-2',
        ]);
      },
    );

    it.each([
      ['with another host, http and no version', 'http://other.example/mobile_money_user/c-1'],
      ['with a version', 'https://platform.example/api/v2/mobile_money_user/c-1'],
      ['as a path', '/mobile_money_user/c-1'],
    ])('find the id of a customer in a link %s', async (_, resource) => {
      await post(webhook('customer_created', { first_name: 'Jane' }, { _links: { resource } }));
      expect((await merchant.received.next('customer.created')).customer.id).toBe('c-1');
    });

    it.each([
      ['that ends in the collection', 'https://platform.example/api/v1/mobile_money_user'],
      ['with an id that is none', 'https://platform.example/mobile_money_user/a%20b'],
      ['that is no text', 7],
    ])('take no id of a customer from a link %s', async (_, resource) => {
      await post(webhook('customer_created', { first_name: 'Jane' }, { _links: { resource } }));
      expect((await merchant.received.next('customer.created')).customer.id).toBeNull();
    });

    it.each(COMPANY_TOPICS)(
      'of topic %s without any id, or without a resource, are kept as unrecognised',
      async (topic, event) => {
        const resource = { amount: '10.0', currency: 'KES', status: accepted(topic) };
        await post(webhook(topic, resource, { id: null }));
        await post(webhook(topic, null));
        await stored(2, 'unrecognised');
        expect(merchant.received.named(event)).toEqual([]);
      },
    );

    it.each(COMPANY_TOPICS)(
      'of topic %s that are older than our records emit no event',
      async (...row) => {
        const [topic, event] = row;
        const old = '2019-01-01T00:00:00+03:00';
        const money = { amount: '10.0', currency: 'KES', status: accepted(topic) };
        await post(
          webhook(topic, { id: 'old', ...money, origination_time: old }, { created_at: old }),
        );
        await stored(1);
        expect(merchant.received.named(event)).toEqual([]);
        expect(await anomalies()).toEqual([`${topic} older than retention`]);
      },
    );

    it.each(COMPANY_TOPICS.slice(1))(
      'of topic %s that report another amount under the same id are an anomaly, and emit nothing',
      async (topic, event) => {
        const money = { id: 'one', currency: 'KES', status: accepted(topic) };
        for (const amount of ['100.0', '100.00', 100, '99000.00'])
          await post(webhook(topic, { ...money, amount }));
        await post(webhook(topic, { ...money, amount: '100.00', currency: 'UGX' }));
        await stored(5);
        expect(merchant.received.named(event)).toHaveLength(1);
        const example = {
          what: `${topic} reported with another amount`,
          example: expect.stringMatching(/^[\w-]{36}$/),
          count: 2,
        };
        expect(await anomaliesOf(store)).toEqual([example, example]);
      },
    );

    it.each(COMPANY_TOPICS.slice(1))(
      'of topic %s with an unreadable amount are an anomaly, and emit their event when the amount can be read',
      async (topic, event) => {
        const money = { id: 'one', currency: 'KES', status: accepted(topic) };
        await post(webhook(topic, { ...money, amount: 'much' }));
        await post(webhook(topic, { ...money, amount: '10.001' }));
        await stored(2);
        expect(merchant.received.named(event)).toEqual([]);
        expect(new Set(await anomalies())).toEqual(new Set([`unreadable amount on ${topic}`]));
        await post(webhook(topic, { ...money, amount: '10.00' }));
        await merchant.received.next(event);
      },
    );
  });

  describe('whose status does not prove their topic,', () => {
    it.each([
      ['card_transaction_received', 'Authorised', 'till.transaction.received'],
      ['card_transaction_voided', 'Annulled', 'till.transaction.reversed'],
      ['b2b_transaction_reversed', 'Undone', 'till.transaction.reversed'],
      ['settlement_transfer_completed', 'Settled', 'settlement.completed'],
      ['m2m_transaction_received', 'Paid', 'merchant-transaction.received'],
    ] as const)(
      'of topic %s are anomalies with the status %s, until the host accepts the word',
      async (topic, status, event) => {
        const resource = {
          id: 'one',
          reference: 'ONE',
          till_number: '514459',
          amount: '10.0',
          currency: 'KES',
          status,
          origination_time: new Date().toISOString(),
        };
        await post(webhook(topic, resource));
        await stored(1);
        expect(await anomalies()).toEqual([`status ${status} on ${topic}`]);
        expect(merchant.received.events).toEqual([]);

        await open({ deliveries: { acceptedStatuses: { [topic]: [status] } } });
        await post(webhook(topic, resource));
        await merchant.received.next(event);
        // Our own words still count.
        await post(
          webhook(topic, { ...resource, id: 'two', reference: 'TWO', status: accepted(topic) }),
        );
        await merchant.received.next<PaymentsEventName>(event, isAbout('two', 'TWO'));
        expect(await anomalies()).toEqual([]);
      },
    );

    it('in the Daraja format are anomalies, until the host accepts the type', async () => {
      const body = {
        TransactionType: 'Customer Merchant Payment',
        TransID: 'DARAJA1',
        TransTime: '20261121083000',
        TransAmount: '75.50',
        BusinessShortCode: '514459',
      };
      await post(body);
      await stored(1);
      expect(await anomalies()).toEqual(['status Customer Merchant Payment on daraja']);
      await open({
        deliveries: {
          acceptedStatuses: { b2b_transaction_received: ['Customer Merchant Payment'] },
        },
      });
      await post(body);
      const { transaction } = await merchant.received.next('till.transaction.received');
      expect(transaction).toMatchObject({ kind: 'b2b', type: 'Customer Merchant Payment' });
    });

    it('do not let a payment succeed, even if the host accepts the word', async () => {
      const deliveries = { acceptedStatuses: { buygoods_transaction_received: ['Pending'] } };
      await open({ deliveries }, 10);
      const payment = await merchant.payments.request({
        idempotencyKey: randomUUID(),
        subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000014' },
        amount: { currency: 'KES', value: '100.00' },
      });
      await post(
        webhookBody({ status: 'Pending', sender_phone_number: '+254700000014', reference: 'P1' }),
      );
      await merchant.received.next('till.transaction.received');
      expect(await merchant.payments.find(payment.id)).toMatchObject({ state: 'pending' });
      expect(merchant.received.named('payment.succeeded')).toEqual([]);
    });
  });
});

/** Returns the word of the platform that proves a topic. */
function accepted(topic: WebhookTopic): string | null {
  if (topic === 'customer_created') return null;
  if (topic === 'settlement_transfer_completed') return 'Transferred';
  return topic.endsWith('_received') ? 'Received' : 'Reversed';
}

/** True when an event is about something with this id, or money with this reference. */
function isAbout(id: string, reference: string) {
  return (event: PaymentsEvents[PaymentsEventName]): boolean => {
    const text = JSON.stringify(event);
    return text.includes(`"id":"${id}"`) || text.includes(`"reference":"${reference}"`);
  };
}
