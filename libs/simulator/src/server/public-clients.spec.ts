import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sendMoney, wallet } from '../testing/money-out.fixture.js';
import { idOf, payment, type Answer } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

/** The published clients of the platform send these, and the contract does not have them. */
const CHANNELS = ['M-PESA', 'MPESA', 'M-PESA STK PUSH'];
const NAMELESS = [
  ['absent', {}],
  ['null', { first_name: null, last_name: null }],
  ['empty', { first_name: '', last_name: '' }],
] as const;
const NO_AMOUNT = [
  ['absent', {}],
  ['null', { amount: null }],
  ['an empty object', { amount: {} }],
  ['an object of nulls', { amount: { currency: null, value: null } }],
] as const;
const CANCELS: readonly [string, string, Record<string, string | null>][] = [
  ['without a body', '', {}],
  ['without a body or content type', '', { 'content-type': null }],
  ['with the body null', 'null', {}],
  ['with a body without content type', '{}', { 'content-type': null }],
];
const OLDER = ['pay_recipients', 'payments', 'settlement_transfers'];
const SMS = 'transaction_sms_notifications';
const WALLET = { first_name: 'Jane', last_name: 'Doe', network: 'Safaricom' };

let platform: Platform;
const links = () => ({ _links: { callback_url: platform.receiver.url } });
const settle = (changes: object): Promise<Answer> =>
  platform.client.post('/api/v1/settlement_transfers', { ...changes, ...links() });
const pay = (changes: Record<string, unknown>, subscriber: object = {}): Promise<Answer> => {
  const body = payment();
  return platform.client.post('/api/v2/incoming_payments', {
    ...body,
    subscriber: { ...body.subscriber, ...subscriber },
    ...changes,
  });
};
const createLink = async (): Promise<string> => {
  const link = { till_number: '514459', currency: 'KES', amount: 5, ...links() };
  const answer = await platform.client.post('/api/v2/payment_links', link);
  await platform.simulator.idle();
  return idOf(answer);
};
const balance = () => platform.simulator.balance('till:514459');

afterEach(() => platform.stop());

describe('The simulator without strict takes', () => {
  beforeEach(async () => {
    platform = await startPlatform({ strict: false, openingBalances: { '514459': 1_000 } });
  });

  it.each(NO_AMOUNT)('a settlement of everything whose amount is %s', async (_, changes) => {
    const answer = await settle(changes);
    expect(answer.status).toBe(201);
    await platform.simulator.idle();
    expect(balance()).toBe(0);
    const read = await platform.client.get(`/api/v1/settlement_transfers/${idOf(answer)}`);
    expect(read.body.data.attributes.amount).toEqual({ currency: 'KES', value: null });
  });

  it.each([{ currency: 'KES' }, { currency: 'KES', value: null }, { value: 5 }])(
    'no settlement with half of an amount, such as %j',
    async (amount) => {
      expect((await settle({ amount })).status).toBe(400);
      expect(balance()).toBe(100_000);
    },
  );

  it.each(CANCELS)('the cancellation of a link %s', async (_, body, headers) => {
    const path = `/api/v2/payment_links/${await createLink()}`;
    expect(await platform.client.post(`${path}/cancel`, body, headers)).toMatchObject({
      status: 200,
      body: { message: 'Payment link cancelled.' },
    });
    const { attributes } = (await platform.client.get(path)).body.data;
    expect(attributes.payment_link.payment_link_status).toBe('Cancelled');
  });

  it.each(['//api/v2/incoming_payments', '/api//v2/incoming_payments'])(
    'a path with a double slash, such as %s',
    async (path) => {
      const answer = await platform.client.post(path, payment());
      expect(answer.status).toBe(201);
      expect((await platform.client.get(`${path}/${idOf(answer)}`)).status).toBe(200);
    },
  );

  it.each(CHANNELS)('the payment channel %s', async (channel) => {
    expect((await pay({ payment_channel: channel })).status).toBe(201);
  });

  it.each(NAMELESS)(
    'a subscriber whose names are %s, and shows a name of its own',
    async (_, names) => {
      const { first_name: _first, last_name: _last, ...subscriber } = payment().subscriber;
      const answer = await pay({ subscriber: { ...subscriber, ...names } });
      expect(answer.status).toBe(201);
      await platform.simulator.idle();
      const read = await platform.client.get(`/api/v2/incoming_payments/${idOf(answer)}`);
      expect(read.body.data.attributes.event.resource).toMatchObject({
        sender_first_name: 'Jane',
        sender_last_name: 'Doe',
      });
    },
  );

  it('the older endpoints in version 2, and locates what they create there', async () => {
    await platform.subscribe();
    await platform.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: '+254700000001',
      amount: 5,
    });
    const eventId = platform.receiver.received[0]!.body.id as string;
    const create = async (name: string, body: object): Promise<void> => {
      const path = `/api/v2/${name}`;
      const answer = await platform.client.post(path, body);
      expect([name, answer.status]).toEqual([name, 201]);
      const location = `${path}/${idOf(answer)}`;
      expect(answer.headers.get('location')).toBe(platform.simulator.url + location);
      expect([name, (await platform.client.get(location)).status]).toEqual([name, 200]);
    };
    const till = { till_name: 'Ice', till_number: '800100' };
    await create('pay_recipients', { type: 'till', pay_recipient: till });
    await create('payments', {
      destination_type: 'till',
      destination_reference: platform.simulator.recipients()[0]!.reference,
      amount: { currency: 'KES', value: 5 },
      description: 'Ice',
      ...links(),
    });
    await create('settlement_transfers', links());
    await create(SMS, { webhook_event_reference: eventId, message: 'Thanks', ...links() });
    await platform.simulator.idle();
  });

  it('no endpoint of version 2 that only the contract of version 1 has, when apiVersions is contract', async () => {
    await platform.stop();
    platform = await startPlatform({ strict: false, apiVersions: 'contract' });
    for (const name of [...OLDER, SMS])
      expect((await platform.client.post(`/api/v2/${name}`, {})).status).toBe(404);
  });

  it.each([
    ['/api/v2/external_recipients', 'external_recipient'],
    ['/api/v1/pay_recipients', 'pay_recipient'],
  ])('unknown fields of a recipient at %s, and keeps none of them', async (path, key) => {
    const unknown = { status: 'Rejected', recipient_reference: 'mine', loyalty: 7 };
    const answer = await platform.client.post(path, {
      type: 'mobile_wallet',
      [key]: { ...WALLET, phone_number: '+254700000001', ...unknown },
    });
    expect(answer.status).toBe(201);
    const { attributes } = (await platform.client.get(`${path}/${idOf(answer)}`)).body.data;
    expect(attributes).toEqual({
      recipient_type: 'Mobile Wallet',
      account_alias: null,
      status: 'Approved',
      recipient_reference: platform.simulator.recipients()[0]!.reference,
      ...WALLET,
      phone_number: '+254700000001',
    });
  });

  it('unknown fields of an own account, and keeps none of them', async () => {
    const path = '/api/v2/merchant_wallets';
    const phone = { phone_number: '+254700000033' };
    const unknown = { status: 'Rejected', account_reference: 'mine' };
    const answer = await platform.client.post(path, { ...WALLET, ...phone, ...unknown });
    const { attributes } = (await platform.client.get(`${path}/${idOf(answer)}`)).body.data;
    expect(attributes).toEqual({
      status: 'Approved',
      account_reference: expect.not.stringMatching('mine'),
      ...WALLET,
      ...phone,
    });
  });

  it('unknown fields of a destination, and repeats none of them', async () => {
    const path = '/api/v2/send_money';
    const destination = wallet({ status: 'Cancelled', transaction_reference: 'mine', tip: 1 });
    const answer = await platform.client.post(path, sendMoney(platform, [destination]));
    await platform.simulator.idle();
    const { attributes } = (await platform.client.get(`${path}/${idOf(answer)}`)).body.data;
    expect(attributes.destinations).toEqual([wallet()]);
    const [disbursement] = attributes.transfer_batches[0].disbursements;
    expect(disbursement).toMatchObject({ status: 'Transferred' });
    expect(disbursement).not.toMatchObject({ transaction_reference: 'mine' });
    expect(disbursement).not.toHaveProperty('tip');
  });
});

describe('The simulator with strict refuses', () => {
  beforeEach(async () => {
    platform = await startPlatform({ openingBalances: { '514459': 1_000 } });
  });

  it.each(NO_AMOUNT.slice(1))('a settlement whose amount is %s', async (_, changes) => {
    expect((await settle(changes)).status).toBe(400);
    expect(balance()).toBe(100_000);
  });

  it.each(CANCELS)('the cancellation of a link %s', async (_, body, headers) => {
    const path = `/api/v2/payment_links/${await createLink()}`;
    expect((await platform.client.post(`${path}/cancel`, body, headers)).status).toBeGreaterThan(
      399,
    );
    const { attributes } = (await platform.client.get(path)).body.data;
    expect(attributes.payment_link.payment_link_status).toBe('Active');
  });

  it.each(CHANNELS.slice(0, 2))('the payment channel %s', async (channel) => {
    expect((await pay({ payment_channel: channel })).status).toBe(400);
  });

  it.each(NAMELESS)('a subscriber whose names are %s', async (_, names) => {
    const { first_name: _first, last_name: _last, ...subscriber } = payment().subscriber;
    expect((await pay({ subscriber: { ...subscriber, ...names } })).status).toBe(400);
  });

  it.each([...OLDER, SMS].map((name) => `/api/v2/${name}`).concat('//api/v2/incoming_payments'))(
    'the path %s',
    async (path) => {
      expect((await platform.client.post(path, payment())).status).toBe(404);
    },
  );
});
