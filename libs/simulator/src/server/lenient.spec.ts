import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { balanceOf, sendMoney, wallet } from '../testing/money-out.fixture.js';
import { idOf, payment } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

const NO_HEADERS = { 'user-agent': null, accept: null };

describe('The simulator without strict', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform({ strict: false, openingBalances: { '514459': 1_000 } });
  });

  afterEach(() => platform.stop());

  const post = async (path: string, body: unknown) => {
    const answer = await platform.client.post(path, body, NO_HEADERS);
    await platform.simulator.idle();
    return { status: answer.status, body: answer.body as unknown, answer };
  };
  const links = () => ({ _links: { callback_url: platform.receiver.url } });

  it.each(['/api/v1/incoming_payments', '/api/v2/incoming_payments'])(
    'takes a payment at %s with text as the amount, null metadata, and a phone number without +',
    async (path) => {
      const body = payment({ value: '100', phone: '254700000001', metadata: null });
      const { status, answer } = await post(path, body);
      expect(status).toBe(201);
      expect(platform.simulator.charges()).toMatchObject([
        { amount: 100, phone: '+254700000001', charged: true, metadata: {} },
      ]);
      expect((await platform.client.get(`${path}/${idOf(answer)}`)).status).toBe(200);
    },
  );

  it.each(['/api/v1/webhook_subscriptions', '/api/v2/webhook_subscriptions'])(
    'takes a subscription at %s with the scope company and a null reference',
    async (path) => {
      const { status } = await post(path, {
        event_type: 'b2b_transaction_received',
        url: platform.receiver.url,
        scope: 'company',
        scope_reference: null,
        enable_daraja_payload: null,
      });
      expect(status).toBe(201);
    },
  );

  it.each(['/api/v1/polling', '/api/v2/polling'])('takes a polling request at %s', async (path) => {
    const { status } = await post(path, {
      scope: 'company',
      scope_reference: null,
      from_time: '2026-01-01T00:00:00+03:00',
      to_time: '2026-01-02T00:00:00+03:00',
      ...links(),
    });
    expect(status).toBe(201);
  });

  it.each(['254700000001', '+254700000001'])(
    'pays a wallet with the phone number %s, text as the amount, and null fields',
    async (phone) => {
      const destination = wallet({ phone_number: phone, amount: '100', nickname: null, tip: 1 });
      const { status } = await post(
        '/api/v2/send_money',
        sendMoney(platform, [destination], { source_identifier: null, metadata: null }),
      );
      expect(status).toBe(201);
      expect(balanceOf(platform, 'mobile_wallet:+254700000001')).toBe(10_000);
    },
  );

  it.each([
    ['/api/v2/external_recipients', 'external_recipient'],
    ['/api/v1/pay_recipients', 'pay_recipient'],
  ])('takes a recipient at %s without + and with null fields', async (path, key) => {
    const fields = { first_name: 'Jane', last_name: 'Doe', network: 'Safaricom' };
    const { status } = await post(path, {
      type: 'mobile_wallet',
      [key]: { ...fields, phone_number: '254700000001', email: null, nickname: null },
    });
    expect(status).toBe(201);
    expect(platform.simulator.recipients()[0]!.fields.phone_number).toBe('+254700000001');
  });

  it.each(['/api/v1/merchant_wallets', '/api/v2/merchant_wallets'])(
    'takes an own wallet at %s without +',
    async (path) => {
      const fields = { first_name: 'Ann', last_name: 'Wairimu', network: 'Safaricom' };
      const { status } = await post(path, { ...fields, phone_number: '254700000033' });
      expect(status).toBe(201);
    },
  );

  it('takes a payment, a settlement transfer, a link and a reversal with null fields', async () => {
    await post('/api/v1/pay_recipients', {
      type: 'till',
      pay_recipient: { till_name: 'Ice', till_number: '800100' },
    });
    const { reference } = await platform.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: '+254700000001',
      amount: 5,
    });
    const requests: [string, unknown][] = [
      [
        '/api/v1/payments',
        {
          destination_type: 'till',
          destination_reference: platform.simulator.recipients()[0]!.reference,
          amount: { currency: 'KES', value: '5' },
          description: 'Ice',
          category: null,
          tags: null,
          metadata: null,
          ...links(),
        },
      ],
      [
        '/api/v1/settlement_transfers',
        {
          amount: { currency: 'KES', value: '5' },
          destination_reference: null,
          destination_type: null,
          ...links(),
        },
      ],
      [
        '/api/v2/payment_links',
        {
          till_number: '514459',
          currency: 'KES',
          amount: '5',
          payment_reference: null,
          note: null,
          metadata: null,
          ...links(),
        },
      ],
      [
        '/api/v2/reversals',
        { transaction_reference: reference, reason: 'Broken', metadata: null, ...links() },
      ],
    ];
    for (const [path, body] of requests) expect((await post(path, body)).status).toBe(201);
    expect(balanceOf(platform, 'external_till:800100')).toBe(500);
  });

  it('still refuses a request with a mistake, and says which', async () => {
    const { body } = await post('/api/v2/send_money', sendMoney(platform, [wallet({ amount: 0 })]));
    expect(body).toEqual({
      error_code: 400,
      error_message: 'destinations[0].amount must be greater than 0',
    });
  });
});

describe('The simulator with strict', () => {
  it.each(['v2/webhook_subscriptions', 'v1/incoming_payments', 'v1/polling'])(
    'has no endpoint at /api/%s',
    async (path) => {
      const platform = await startPlatform();
      expect((await platform.client.post(`/api/${path}`, {})).status).toBe(404);
      await platform.stop();
    },
  );
});
