import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FAILURE_TEXTS } from '../scenarios/scenarios.constants.js';
import { DEFAULT_TIMINGS } from '../simulator.options.js';
import { idOf, payment } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

describe('The simulator', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform();
  });

  afterEach(() => platform.stop());

  const path = (id: string) => `/api/v2/incoming_payments/${id}`;

  it('takes a middle name, which published clients send, and shows it as that of the payer', async () => {
    const body = payment();
    const subscriber = { ...body.subscriber, middle_name: 'Wanjiru' };
    const answer = await platform.client.post('/api/v2/incoming_payments', { ...body, subscriber });
    expect(answer.status).toBe(201);
    await platform.simulator.idle();
    const read = await platform.client.get(`/api/v2/incoming_payments/${idOf(answer)}`);
    expect(read.body.data.attributes.event.resource.sender_middle_name).toBe('Wanjiru');
  });

  it('answers the create of a payment with 201, an empty body and the full URL of the payment', async () => {
    const { client, simulator } = platform;
    const answer = await client.post('/api/v2/incoming_payments', payment());
    expect(answer.status).toBe(201);
    expect(answer.body).toBe('');
    expect(answer.headers.get('location')).toMatch(
      new RegExp(`^${simulator.url}/api/v2/incoming_payments/[0-9a-f-]{36}$`),
    );
  });

  it('delivers the signed result of a successful payment in the shape of the resource', async () => {
    const { client, receiver, simulator } = platform;
    const id = await client.pay({
      callbackUrl: `${receiver.url}/callbacks/1`,
      metadata: { zero: 0, empty: '' },
    });
    await simulator.idle();
    expect(receiver.received).toHaveLength(1);
    const { path: at, headers, raw, body } = receiver.received[0]!;
    expect(at).toBe('/callbacks/1');
    expect(headers['x-kopokopo-signature']).toBe(
      createHmac('sha256', simulator.apiKey).update(raw).digest('hex'),
    );
    expect(body).toEqual({
      data: {
        id,
        type: 'incoming_payment',
        attributes: {
          initiation_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+03:00$/),
          status: 'Success',
          event: {
            type: 'Incoming Payment Request',
            resource: {
              id: expect.any(String),
              reference: expect.stringMatching(/^[A-Z0-9]{10}$/),
              origination_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+03:00$/),
              sender_phone_number: '+254700000001',
              amount: '100.0',
              currency: 'KES',
              till_number: '514459',
              system: 'Lipa Na M-PESA',
              status: 'Received',
              sender_first_name: 'Jane',
              sender_middle_name: null,
              sender_last_name: 'Doe',
            },
            errors: null,
          },
          metadata: { zero: 0, empty: '' },
          _links: {
            callback_url: `${receiver.url}/callbacks/1`,
            self: `${simulator.url}${path(id)}`,
          },
        },
      },
    });
    expect((await client.get(path(id))).body).toEqual(body);
  });

  it.each([
    ['02', FAILURE_TEXTS.cancels],
    ['03', FAILURE_TEXTS.mistypes],
    ['04', FAILURE_TEXTS['lacks-funds']],
    ['07', FAILURE_TEXTS.unreachable],
    ['08', FAILURE_TEXTS.busy],
    ['09', FAILURE_TEXTS['over-limit']],
    ['19', FAILURE_TEXTS['platform-fails']],
  ])(
    'fails a payment of a number ending in %s, with the text "%s" and no resource',
    async (digits, text) => {
      const { client, receiver, simulator } = platform;
      await client.pay({ phone: `+2547000000${digits}`, callbackUrl: receiver.url });
      await simulator.idle();
      expect(receiver.received[0]!.body.data.attributes).toMatchObject({
        status: 'Failed',
        event: { resource: null, errors: [text] },
      });
      expect(simulator.charges()).toMatchObject([
        { charged: false, status: 'Failed', reference: null },
      ]);
    },
  );

  it('keeps a payment Pending until the prompt expires after a minute', async () => {
    const { client, receiver, simulator } = platform;
    const id = await client.pay({ phone: '+254700000005', callbackUrl: receiver.url });
    // The minute begins when the prompt is shown, a little after the answer of the create.
    await simulator.idle();
    await simulator.clock.advance(59_000);
    expect((await client.get(path(id))).body.data.attributes).toMatchObject({
      status: 'Pending',
      event: { resource: null, errors: null },
    });
    await simulator.clock.advance(1_000);
    expect(platform.arrivals()).toEqual(['Failed']);
  });

  it('reports a payment as Received between the PIN and the result', async () => {
    await platform.stop();
    platform = await startPlatform({ timings: DEFAULT_TIMINGS });
    const { client, simulator } = platform;
    const id = await client.pay();
    await simulator.clock.advance(2_100);
    expect((await client.get(path(id))).body.data.attributes.status).toBe('Received');
    await simulator.clock.advance(500);
    expect((await client.get(path(id))).body.data.attributes.status).toBe('Success');
  });

  it('answers the prompt of a slow customer after 45 seconds', async () => {
    const { client, receiver, simulator } = platform;
    await client.pay({ phone: '+254700000006', callbackUrl: receiver.url });
    await simulator.clock.advance(44_000);
    expect(platform.arrivals()).toEqual([]);
    await simulator.clock.advance(1_500);
    expect(platform.arrivals()).toEqual(['Success']);
  });

  it('sends a webhook to each subscription, with an event id for each redundant one', async () => {
    const { client, receiver, simulator } = platform;
    await platform.subscribe();
    await platform.subscribe();
    await client.pay({ callbackUrl: receiver.url });
    await simulator.idle();
    const webhooks = receiver.received.filter(({ body }) => body.topic);
    const [charge] = simulator.charges();
    expect(webhooks).toHaveLength(2);
    expect(webhooks[0]!.body.id).not.toBe(webhooks[1]!.body.id);
    expect(webhooks[0]!.body.event.resource.reference).toBe(charge!.reference);
  });

  it('loses the callback of a number ending in 10, and sends the webhook', async () => {
    const { client, receiver, simulator } = platform;
    await platform.subscribe();
    const id = await client.pay({ phone: '+254700000010', callbackUrl: receiver.url });
    await simulator.idle();
    expect(platform.arrivals()).toEqual(['buygoods_transaction_received']);
    expect((await client.get(path(id))).body.data.attributes.status).toBe('Success');
  });

  it('sends the callback of a number ending in 11 twice', async () => {
    const { client, receiver, simulator } = platform;
    await client.pay({ phone: '+254700000011', callbackUrl: receiver.url });
    await simulator.idle();
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[0]!.raw.equals(receiver.received[1]!.raw)).toBe(true);
  });

  it('delivers callback and webhook of a number ending in 12 before it answers the create', async () => {
    const { client, receiver } = platform;
    await platform.subscribe();
    await client.pay({ phone: '+254700000012', callbackUrl: receiver.url });
    expect(new Set(platform.arrivals())).toEqual(
      new Set(['Success', 'buygoods_transaction_received']),
    );
  });

  it('reverses the payment of a number ending in 13 after the success', async () => {
    const { client, receiver, simulator } = platform;
    await platform.subscribe('buygoods_transaction_reversed');
    await client.pay({ phone: '+254700000013', callbackUrl: receiver.url });
    await simulator.clock.advance(6_000);
    expect(platform.arrivals()).toEqual(['Success', 'buygoods_transaction_reversed']);
    expect(simulator.charges()).toMatchObject([{ charged: true, reversed: true }]);
  });

  it('sends neither callback nor webhook for a number ending in 15', async () => {
    const { client, receiver, simulator } = platform;
    await platform.subscribe();
    await client.pay({ phone: '+254700000015', callbackUrl: receiver.url });
    await simulator.clock.advance(600_000);
    expect(receiver.received).toEqual([]);
    expect(simulator.charges()).toMatchObject([{ charged: true, status: 'Success' }]);
  });

  it('sends the callback of a number ending in 16 an hour late', async () => {
    const { client, receiver, simulator } = platform;
    await client.pay({ phone: '+254700000016', callbackUrl: receiver.url });
    await simulator.clock.advance(3_500_000);
    expect(receiver.received).toEqual([]);
    await simulator.clock.advance(200_000);
    expect(platform.arrivals()).toEqual(['Success']);
  });

  it('sends the webhook of a number ending in 17 before the callback', async () => {
    const { client, receiver, simulator } = platform;
    await platform.subscribe();
    await client.pay({ phone: '+254700000017', callbackUrl: receiver.url });
    await simulator.clock.advance(6_000);
    expect(platform.arrivals()).toEqual(['buygoods_transaction_received', 'Success']);
  });

  it('moves the money of a number ending in 18 after it has reported Failed', async () => {
    const { client, receiver, simulator } = platform;
    await platform.subscribe();
    await client.pay({ phone: '+254700000018', callbackUrl: receiver.url });
    await simulator.clock.advance(70_000);
    expect(platform.arrivals()).toEqual(['Failed', 'buygoods_transaction_received']);
    expect(simulator.charges()).toMatchObject([{ charged: true, status: 'Failed' }]);
  });

  it('uses the override of the scenario of a number', async () => {
    const { client, receiver, simulator } = platform;
    simulator.scenario('+254700000001', 'cancelled');
    await client.pay({ callbackUrl: receiver.url });
    await simulator.idle();
    expect(platform.arrivals()).toEqual(['Failed']);
  });

  it('uses the default scenario for a number whose last digits are not listed', async () => {
    const { client, receiver, simulator } = platform;
    await client.pay({ phone: '+254700000099', callbackUrl: receiver.url });
    await simulator.idle();
    expect(platform.arrivals()).toEqual(['Success']);
  });

  it('reports a till by its alias', async () => {
    await platform.stop();
    platform = await startPlatform({ tillAliases: { K000123: '514459' } });
    const { client, receiver, simulator } = platform;
    await platform.subscribe();
    await client.pay({ till: 'K000123', callbackUrl: receiver.url });
    await simulator.idle();
    expect(
      receiver.received.map(
        ({ body }): unknown => body.event?.resource ?? body.data.attributes.event.resource,
      ),
    ).toEqual([
      expect.objectContaining({ till_number: '514459' }),
      expect.objectContaining({ till_number: '514459' }),
    ]);
  });
});
