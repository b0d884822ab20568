import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EVENT_TYPES, describeEventType, type EventType } from './event-types.constants.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

describe('The simulator', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform();
  });

  afterEach(() => platform.stop());

  const pay = (changes = {}) =>
    platform.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: '+254700000001',
      amount: 99.5,
      ...changes,
    });

  it('sends a webhook for a till payment without a payment request', async () => {
    const { simulator, receiver } = platform;
    await platform.subscribe();
    const transaction = await pay();
    const base = simulator.url;
    expect(receiver.received[0]!.body).toEqual({
      topic: 'buygoods_transaction_received',
      id: expect.any(String),
      created_at: expect.stringMatching(/\+03:00$/),
      event: {
        type: 'Buygoods Transaction',
        resource: {
          id: transaction.id,
          amount: '99.5',
          status: 'Received',
          system: 'Lipa Na M-PESA',
          currency: 'KES',
          reference: transaction.reference,
          till_number: '514459',
          origination_time: expect.stringMatching(/\+03:00$/),
          sender_first_name: 'Jane',
          sender_middle_name: null,
          sender_last_name: 'Doe',
          sender_phone_number: '+254700000001',
          hashed_sender_phone: createHash('sha256').update('254700000001').digest('hex'),
        },
      },
      _links: {
        self: expect.stringMatching(new RegExp(`^${base}/webhook_events/`)),
        resource: `${base}/financial_transaction/${transaction.id}`,
      },
    });
  });

  it('sends customer_created once, for the first payment of a phone at any till', async () => {
    const { receiver, client } = platform;
    await pay({ phoneNumber: '+254700000002' });
    await platform.subscribe('customer_created', { scope: 'company', scope_reference: '' });
    await pay({ middleName: 'Wanjiru' });
    await pay({ tillNumber: '000123' });
    await client.pay({ phone: '+254700000001' });
    await pay({ phoneNumber: '+254700000002' });
    await pay({ phoneNumber: '+254700000005', sendingTill: 'Corner Shop' });
    await platform.simulator.idle();
    const webhooks = receiver.received.filter(({ body }) => body.topic === 'customer_created');
    expect(webhooks).toHaveLength(1);
    const { event, _links: links } = webhooks[0]!.body;
    expect(event).toEqual({
      type: 'Customer Created',
      resource: {
        first_name: 'Jane',
        middle_name: 'Wanjiru',
        last_name: 'Doe',
        phone_number: '+254700000001',
      },
    });
    const path = new URL(links.resource as string).pathname;
    expect(path).toMatch(/^\/mobile_money_user\/[0-9a-f-]{36}$/);
    expect((await client.get(path)).status).toBe(200);
  });

  it('sends no customer_created for a payment whose webhooks are lost', async () => {
    await platform.subscribe('customer_created', { scope: 'company', scope_reference: '' });
    await pay({ silent: true });
    expect(platform.receiver.received).toEqual([]);
    await pay();
    expect(platform.receiver.received).toEqual([]);
  });

  it('answers reads of both links of a webhook', async () => {
    const { simulator, client, receiver } = platform;
    await platform.subscribe();
    const transaction = await pay();
    const { body } = receiver.received[0]!;
    const path = (url: unknown) => String(url).slice(simulator.url.length);
    expect((await client.get(path(body._links.self))).body).toEqual(body);
    expect((await client.get(path(body._links.resource))).body.data.id).toBe(transaction.id);
    expect((await client.get('/webhook_events/none')).status).toBe(404);
    expect((await client.get('/financial_transaction/none')).status).toBe(404);
  });

  it('sends a webhook to the subscription of the company and not to that of another till', async () => {
    await platform.subscribe('buygoods_transaction_received', { scope_reference: '000123' });
    await platform.subscribe('buygoods_transaction_received', {
      scope: 'company',
      scope_reference: null,
    });
    await pay();
    expect(platform.receiver.received).toHaveLength(1);
  });

  it('sends the Daraja payload to a subscription with enable_daraja_payload', async () => {
    await platform.subscribe('buygoods_transaction_received', { enable_daraja_payload: true });
    const transaction = await pay({ originatedAt: Date.parse('2026-11-21T22:30:05Z') });
    expect(platform.receiver.received[0]!.body).toEqual({
      TransactionType: 'Buy Goods',
      TransID: transaction.reference,
      TransTime: '20261122013005',
      TransAmount: '99.50',
      BusinessShortCode: '514459',
      BillRefNumber: '',
      InvoiceNumber: '',
      OrgAccountBalance: '',
      ThirdPartyTransID: '',
      MSISDN: createHash('sha256').update('254700000001').digest('base64'),
      FirstName: 'Jane',
      MiddleName: '',
      LastName: 'Doe',
    });
  });

  it('sends the Daraja payload of a till-to-till transaction, whose sender is an organisation', async () => {
    await platform.subscribe('b2b_transaction_received', { enable_daraja_payload: true });
    const transaction = await pay({ sendingTill: 'Corner Shop' });
    expect(platform.receiver.received[0]!.body).toMatchObject({
      TransactionType: 'Organization To Organization Transfer',
      TransID: transaction.reference,
      MSISDN: '600123',
      FirstName: 'Corner Shop',
      MiddleName: '',
      LastName: '',
    });
  });

  it('sends a webhook for a till-to-till transaction', async () => {
    await platform.subscribe('b2b_transaction_received');
    await pay({ sendingTill: 'Corner Shop' });
    expect(platform.receiver.received[0]!.body.event).toMatchObject({
      type: 'External Till to Till Transaction',
      resource: { status: 'Complete', sending_till: 'Corner Shop' },
    });
    expect(platform.receiver.received[0]!.body.event.resource).not.toHaveProperty(
      'sender_phone_number',
    );
  });

  it('sends a webhook for a reversal, with the same reference', async () => {
    await platform.subscribe('buygoods_transaction_reversed');
    const { reference } = await pay();
    await platform.simulator.reverse(reference);
    expect(platform.receiver.received[0]!.body).toMatchObject({
      topic: 'buygoods_transaction_reversed',
      event: { type: 'Buygoods Transaction', resource: { reference, status: 'Reversed' } },
    });
  });

  it('sends a webhook for the reversal of a till-to-till transaction', async () => {
    await platform.subscribe('b2b_transaction_reversed');
    const { reference } = await pay({ sendingTill: 'Corner Shop' });
    await platform.simulator.reverse(reference);
    expect(platform.receiver.received[0]!.body.event).toMatchObject({
      type: 'External Till To Till Reversal Transaction',
      resource: { status: 'Reversed' },
    });
  });

  it('refuses to reverse an unknown transaction', async () => {
    await expect(platform.simulator.reverse('NONE')).rejects.toMatchObject({
      code: 'SIMULATOR_NOT_KNOWN',
    });
  });

  it.each([
    ['customer_created', 'Customer Created', { first_name: 'Jane' }],
    [
      'settlement_transfer_completed',
      'Settlement Transfer',
      { amount: '100.0', status: 'Transferred' },
    ],
    [
      'm2m_transaction_received',
      'Merchant to Merchant Transaction',
      { sending_merchant: 'Corner Shop' },
    ],
  ] as const)('emits %s to the subscription of the company', async (topic, type, resource) => {
    await platform.subscribe(topic, { scope: 'company', scope_reference: null });
    const [id] = await platform.simulator.emit(topic, resource);
    expect(platform.receiver.received[0]!.body).toMatchObject({
      topic,
      id,
      event: { type, resource },
    });
  });

  it.each([
    ['customer_created', 'mobile_money_user'],
    ['settlement_transfer_completed', 'transfer_batch'],
    ['m2m_transaction_received', 'payment_batches'],
  ] as const)(
    'links one %s in every webhook about it, and answers the link',
    async (topic, collection) => {
      const { simulator, client, receiver } = platform;
      const company = { scope: 'company', scope_reference: null };
      await platform.subscribe(topic, company);
      await platform.subscribe(topic, company);
      const ids = await simulator.emit(topic);
      expect(new Set(ids).size).toBe(2);
      const links = receiver.received.map(({ body }) => String(body._links.resource));
      expect(new Set(links).size).toBe(1);
      const path = links[0]!.slice(simulator.url.length);
      expect(path).toMatch(new RegExp(`^/${collection}/`));
      const { data } = (await client.get(path)).body;
      expect(data).toEqual({
        id: path.split('/').at(-1),
        type: collection,
        attributes: receiver.received[0]!.body.event.resource,
      });
      expect((await client.get(`/${collection}/none`)).status).toBe(404);
    },
  );

  it('emits a settlement in the older format, without disbursements', async () => {
    await platform.subscribe('settlement_transfer_completed', {
      scope: 'company',
      scope_reference: null,
    });
    await platform.simulator.emit('settlement_transfer_completed', {
      disbursements: undefined,
      transaction_reference: 'OLDER1',
    });
    const { resource } = platform.receiver.received[0]!.body.event;
    expect(resource).toMatchObject({ transaction_reference: 'OLDER1' });
    expect(resource).not.toHaveProperty('disbursements');
  });

  it.each(['received', 'voided', 'reversed'] as const)(
    'emits a card transaction that was %s to the subscription of its till, with the published fields',
    async (movement) => {
      const topic = `card_transaction_${movement}` as const;
      await platform.subscribe(topic);
      await platform.simulator.emit(topic, { till_number: '514459' });
      const { type, resource } = platform.receiver.received[0]!.body.event;
      expect(type).toBe('Card Transaction');
      expect(Object.keys(resource as object).sort()).toEqual(
        [
          'amount',
          'currency',
          'customer_cc_number',
          'origination_time',
          'reference',
          ...(movement === 'received' ? ['settled'] : []),
          'status',
          'till_number',
        ].sort(),
      );
    },
  );

  it.each(Object.keys(EVENT_TYPES) as EventType[])(
    'supplies missing fields of %s',
    async (topic) => {
      const { scopes, status } = describeEventType(topic);
      const isTill = scopes[0] === 'till';
      await platform.subscribe(topic, isTill ? {} : { scope: 'company', scope_reference: null });
      await platform.simulator.emit(topic);
      const { resource } = platform.receiver.received[0]!.body.event as {
        resource: Record<string, unknown>;
      };
      expect(Object.keys(resource).length).toBeGreaterThan(3);
      expect(resource.status).toBe(status);
    },
  );

  it('emits no event without a subscription', async () => {
    expect(await platform.simulator.emit('customer_created', {})).toEqual([]);
    expect(platform.simulator.deliveries.list()).toEqual([]);
  });

  it.each([
    [{ tillNumber: '999999' }, /There is no till 999999/],
    [{ phoneNumber: '0700000001' }, /not a phone number/],
    [{ amount: 0 }, /^amount must be a number/],
    [{ currency: 'XXX' }, /not a valid amount/],
  ])('refuses a till payment with %j', async (changes, message) => {
    await expect(pay(changes)).rejects.toThrow(message);
  });

  it('refuses a till payment with an existing reference', async () => {
    await pay({ reference: 'ONCE' });
    await expect(pay({ reference: 'ONCE' })).rejects.toThrow(/ONCE already/);
  });

  it('sends no webhook for a silent till payment', async () => {
    await platform.subscribe();
    await pay({ silent: true });
    expect(platform.receiver.received).toEqual([]);
    expect(platform.simulator.deliveries.list({ state: 'lost' })).toHaveLength(1);
  });
});
