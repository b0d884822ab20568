import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { balanceOf, OTHER_TILL, send, sendMoney, wallet } from '../testing/money-out.fixture.js';
import { idOf } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

interface Operation {
  readonly resource: string;
  readonly path: string;
  body(platform: Platform): Promise<Record<string, unknown>>;
  /** Returns the number of requests that the platform has carried out. */
  count(platform: Platform): number;
}

const links = ({ receiver }: Platform) => ({ _links: { callback_url: receiver.url } });
const OPERATIONS: readonly Operation[] = [
  {
    resource: 'send_money',
    path: '/api/v2/send_money',
    body: async (platform) => sendMoney(platform, [wallet()]),
    count: ({ simulator }) => simulator.payouts().length,
  },
  {
    resource: 'settlement_transfers',
    path: '/api/v1/settlement_transfers',
    body: async (platform) => ({ amount: { currency: 'KES', value: 5 }, ...links(platform) }),
    count: ({ simulator }) => simulator.payouts().length,
  },
  {
    resource: 'payments',
    path: '/api/v1/payments',
    body: async (platform) => {
      await platform.client.post('/api/v1/pay_recipients', {
        type: 'till',
        pay_recipient: { till_name: 'Ice', till_number: '800100' },
      });
      return {
        destination_type: 'till',
        destination_reference: platform.simulator.recipients()[0]!.reference,
        amount: { currency: 'KES', value: 5 },
        description: 'Ice',
        ...links(platform),
      };
    },
    count: ({ simulator }) => simulator.payouts().length,
  },
  {
    resource: 'reversals',
    path: '/api/v2/reversals',
    body: async (platform) => {
      const payment = { tillNumber: '514459', phoneNumber: '+254700000001', amount: 5 };
      const { reference } = await platform.simulator.payTill(payment);
      return { transaction_reference: reference, reason: 'Broken', ...links(platform) };
    },
    count: ({ simulator }) => simulator.refunds().length,
  },
  {
    resource: 'payment_links',
    path: '/api/v2/payment_links',
    body: async (platform) => ({
      till_number: '514459',
      currency: 'KES',
      amount: 5,
      ...links(platform),
    }),
    count: ({ simulator }) => simulator.links().length,
  },
  {
    resource: 'external_recipients',
    path: '/api/v2/external_recipients',
    body: async () => ({
      type: 'till',
      external_recipient: { till_name: 'Ice', till_number: '800100' },
    }),
    count: ({ simulator }) => simulator.recipients().length,
  },
  {
    resource: 'merchant_wallets',
    path: '/api/v2/merchant_wallets',
    body: async () => ({
      first_name: 'Ann',
      last_name: 'Wairimu',
      phone_number: '+254700000033',
      network: 'Safaricom',
    }),
    count: ({ simulator }) => simulator.merchantAccounts().length - 1,
  },
];

describe('The faults of requests', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform({ openingBalances: { '514459': 1_000 } });
  });

  afterEach(() => platform.stop());

  describe.each(OPERATIONS)('to $resource:', ({ resource, path, body, count }) => {
    it.each([
      ['create-5xx-after-commit', 502, 'the create', 1],
      ['create-5xx-before-commit', 503, 'nothing', 0],
      ['create-408', 408, 'the create', 1],
      ['create-429', 429, 'nothing', 0],
      ['create-302', 302, 'nothing', 0],
    ] as const)('%s answers %d, and carries out %s', async (kind, status, _, carriedOut) => {
      const request = await body(platform);
      platform.simulator.faults.once(kind, { resource: 'another' });
      platform.simulator.faults.once(kind, { resource });
      expect((await platform.client.post(path, request)).status).toBe(status);
      expect(count(platform)).toBe(carriedOut);
    });

    it('create-reset-after-commit carries out the create and resets the connection', async () => {
      const request = await body(platform);
      platform.simulator.faults.once('create-reset-after-commit', { resource });
      await expect(platform.client.post(path, request)).rejects.toThrow('fetch failed');
      expect(count(platform)).toBe(1);
    });

    it('create-without-location answers 201 without a Location, and carries out the create', async () => {
      const request = await body(platform);
      platform.simulator.faults.once('create-without-location', { resource });
      const answer = await platform.client.post(path, request);
      expect([answer.status, answer.headers.get('location')]).toEqual([201, null]);
      expect(count(platform)).toBe(1);
    });

    it('read-404 and read-5xx apply to reads', async () => {
      const id = idOf(await platform.client.post(path, await body(platform)));
      platform.simulator.faults.once('read-5xx', { resource });
      platform.simulator.faults.once('read-404', { resource });
      const statuses: number[] = [];
      for (let read = 0; read < 3; read++)
        statuses.push((await platform.client.get(`${path}/${id}`)).status);
      expect(statuses).toEqual([503, 404, 200]);
    });
  });

  it.each(OPERATIONS.slice(0, 4))(
    'deliver results of $resource before the answer',
    async ({ resource, path, body }) => {
      const request = await body(platform);
      platform.simulator.faults.once('before-create-answer', { resource });
      const answer = await platform.client.post(path, request);
      expect(answer.status).toBe(201);
      expect(platform.receiver.received).toHaveLength(2);
    },
  );

  it('lose and duplicate callbacks of payouts by their topic', async () => {
    platform.simulator.faults.rate('lose', 1, { match: { topic: 'send_money' } });
    await send(platform, [wallet()]);
    expect(platform.receiver.received).toEqual([]);
    platform.simulator.faults.clear();
    platform.simulator.faults.once('duplicate', { topic: 'send_money' });
    await send(platform, [wallet()]);
    expect(platform.receiver.received).toHaveLength(3);
  });

  it('match a payout by the phone of its wallet, and by its id', async () => {
    platform.simulator.faults.once('create-429', { phone: '+254700000001' });
    const id = await send(platform, [OTHER_TILL]);
    const refused = await platform.client.post(
      '/api/v2/send_money',
      sendMoney(platform, [OTHER_TILL, wallet()]),
    );
    expect(refused.status).toBe(429);
    platform.simulator.faults.once('read-404', { paymentId: id });
    expect((await platform.client.get(`/api/v2/send_money/${id}`)).status).toBe(404);
  });

  it('change the content of a payout and of a refund', async () => {
    const phone = '+254700000062';
    const payment = { tillNumber: '514459', phoneNumber: phone, amount: 5 };
    const { reference } = await platform.simulator.payTill(payment);
    const refund = idOf(
      await platform.client.post('/api/v2/reversals', {
        transaction_reference: reference,
        reason: 'Broken',
        ...links(platform),
      }),
    );
    const payout = await send(platform, [wallet({ phone_number: phone.slice(1) })]);
    const { faults } = platform.simulator;
    faults.rate('unknown-status', 1);
    faults.rate('unknown-field', 1);
    faults.rate('number-amounts', 1);
    faults.rate('string-errors', 1);
    faults.rate('bare-disbursements', 1);
    const { body: readPayout } = await platform.client.get(`/api/v2/send_money/${payout}`);
    expect(readPayout.data.attributes).toMatchObject({
      status: 'Settling',
      risk_score: expect.anything(),
      transfer_batches: [{ status: 'Settling', amount: 100 }],
    });
    expect(readPayout.data.attributes.transfer_batches[0].disbursements).toEqual([
      {
        status: 'Settling',
        amount: 100,
        errors: expect.any(String),
        destination_type: 'mobile_wallet',
      },
    ]);
    const { body: readRefund } = await platform.client.get(`/api/v2/reversals/${refund}`);
    expect(readRefund.data.attributes).toMatchObject({
      status: 'Settling',
      errors: expect.any(String),
      reversal_bulk_payment: { status: 'Settling', amount: 5 },
    });
    expect(balanceOf(platform, 'till:514459')).toBe(100_500);
  });
});
