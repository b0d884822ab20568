import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SIGNATURE_HEADER, sign } from '../deliveries/delivery-signature.service.js';
import { sendMoney, SEND_MONEY_PATH, wallet } from '../testing/money-out.fixture.js';
import {
  clientOf,
  ONE_TILL,
  startTwoMerchants,
  TWO_TILL,
  type TwoMerchants,
} from '../testing/merchants.fixture.js';
import { idOf, payment, type Answer } from '../testing/platform-client.fixture.js';

const PHONE = '+254700000001';
const DAY_MS = 86_400_000;

describe('Two merchants of one simulator', () => {
  let platform: TwoMerchants;

  beforeEach(async () => {
    platform = await startTwoMerchants();
  });

  afterEach(() => platform.stop());

  const links = () => ({ callback_url: `${platform.receiver.url}/callbacks` });
  const polling = () => ({
    scope: 'company',
    from_time: new Date(platform.simulator.clock.now() - DAY_MS).toISOString(),
    to_time: new Date(platform.simulator.clock.now() + DAY_MS).toISOString(),
    _links: links(),
  });
  const paymentLink = (till: string) => ({
    till_number: till,
    currency: 'KES',
    amount: 50,
    _links: links(),
  });
  const payTill = (tillNumber: string, reference?: string) =>
    platform.simulator.payTill({
      tillNumber,
      phoneNumber: PHONE,
      amount: 70,
      ...(reference !== undefined && { reference }),
    });

  /** The request that creates each resource, for the merchant with this till. */
  const CREATES: readonly [string, (till: string) => unknown][] = [
    ['/api/v2/incoming_payments', (till) => payment({ till, callbackUrl: links().callback_url })],
    [
      '/api/v1/webhook_subscriptions',
      (till) => ({
        event_type: 'buygoods_transaction_received',
        url: `${platform.receiver.url}/webhooks`,
        scope: 'till',
        scope_reference: till,
      }),
    ],
    ['/api/v2/polling', () => polling()],
    [SEND_MONEY_PATH, (till) => sendMoney(platform, [wallet()], { source_identifier: till })],
    ['/api/v2/payment_links', paymentLink],
    ['/api/v1/settlement_transfers', () => ({ _links: links() })],
    [
      '/api/v2/external_recipients',
      () => ({ type: 'till', external_recipient: { till_name: 'Ice', till_number: '800100' } }),
    ],
    [
      '/api/v2/merchant_wallets',
      () => ({ first_name: 'Jane', last_name: 'Doe', phone_number: PHONE, network: 'Safaricom' }),
    ],
  ];

  it.each(CREATES)('do not see what the other has created at %s', async (path, body) => {
    const created = await platform.client.post(path, body(ONE_TILL));
    expect(created.status).toBe(201);
    const url = `${path}/${idOf(created)}`;
    expect((await platform.client.get(url)).status).toBe(200);
    expect((await platform.other.get(url)).status).toBe(404);
  });

  it('do not see the reversal, the SMS, the event and the transaction of the other', async () => {
    await platform.subscribe('buygoods_transaction_received', { scope_reference: ONE_TILL });
    const { id, reference } = await payTill(ONE_TILL);
    const event = platform.simulator.deliveries.list({ kind: 'webhook' })[0]!.eventId!;
    const sms = await platform.client.post('/api/v1/transaction_sms_notifications', {
      webhook_event_reference: event,
      message: 'Thank you',
      _links: links(),
    });
    const reversal = await platform.client.post('/api/v2/reversals', {
      transaction_reference: reference,
      reason: 'Returned',
      _links: links(),
    });
    for (const url of [
      `/api/v1/transaction_sms_notifications/${idOf(sms)}`,
      `/api/v2/reversals/${idOf(reversal)}`,
      `/webhook_events/${event}`,
      `/financial_transaction/${id}`,
    ]) {
      expect((await platform.client.get(url)).status).toBe(200);
      expect((await platform.other.get(url)).status).toBe(404);
    }
  });

  it('cannot cancel the payment link of the other', async () => {
    const created = await platform.client.post('/api/v2/payment_links', paymentLink(ONE_TILL));
    await platform.simulator.idle();
    const path = `/api/v2/payment_links/${idOf(created)}/cancel`;
    expect((await platform.other.post(path, {})).status).toBe(404);
    expect(platform.simulator.links()).toEqual([
      expect.objectContaining({ merchant: 'one', state: 'active' }),
    ]);
  });

  it('get the answer for an unknown till when they name a till of the other', async () => {
    const answers: [Answer, Answer][] = [];
    for (const [path, body] of CREATES.slice(0, 5)) {
      // A polling request of the whole company names no till.
      const named = (till: string) =>
        path.endsWith('polling')
          ? { ...polling(), scope: 'till', scope_reference: till }
          : body(till);
      answers.push([
        await platform.other.post(path, named(ONE_TILL)),
        await platform.other.post(path, named('999999')),
      ]);
    }
    for (const [others, unknown] of answers) {
      expect(others.status).toBeGreaterThanOrEqual(400);
      expect(others.status).toBe(unknown.status);
      expect(JSON.stringify(others.body)).toBe(
        JSON.stringify(unknown.body).replace('999999', ONE_TILL),
      );
    }
    expect(platform.simulator.charges()).toEqual([]);
  });

  it('cannot send an SMS about money of the other', async () => {
    await platform.subscribe('buygoods_transaction_received', { scope_reference: ONE_TILL });
    await payTill(ONE_TILL);
    const sms = await platform.other.post('/api/v1/transaction_sms_notifications', {
      webhook_event_reference: platform.simulator.deliveries.list()[0]!.eventId,
      message: 'Thank you',
      _links: links(),
    });
    expect(sms.status).toBe(422);
  });

  it('cannot reverse a transaction of the other', async () => {
    const { reference } = await payTill(ONE_TILL);
    const reversal = { transaction_reference: reference, reason: 'Returned', _links: links() };
    const refused = await platform.other.post('/api/v2/reversals', reversal);
    expect(refused.status).toBe(400);
    expect(refused.body.error_message).toBe('Transaction reference invalid');
    expect((await platform.client.post('/api/v2/reversals', reversal)).status).toBe(201);
  });

  it('cannot pay to a recipient or own account that only the other has', async () => {
    const { reference } = platform.simulator.merchantAccounts('one')[0]!;
    const foreign = { type: 'merchant_bank_account', reference, amount: 10, description: 'Rent' };
    const changes = { source_identifier: TWO_TILL };
    const refused = await platform.other.post(
      SEND_MONEY_PATH,
      sendMoney(platform, [foreign], changes),
    );
    expect(refused.status).toBe(422);
    const settlement = { destination_type: 'merchant_bank_account', _links: links() };
    const settled = await platform.other.post('/api/v1/settlement_transfers', {
      ...settlement,
      destination_reference: reference,
    });
    expect(settled.status).toBe(422);
  });

  it('poll only the transactions of their own tills, also those of the whole company', async () => {
    await payTill(ONE_TILL, 'ONE');
    await payTill(TWO_TILL, 'TWO');
    for (const [client, reference] of [
      [platform.client, 'ONE'],
      [platform.other, 'TWO'],
    ] as const) {
      const id = idOf(await client.post('/api/v2/polling', polling()));
      await platform.simulator.idle();
      const { transactions } = (await client.get(`/api/v2/polling/${id}`)).body.data.attributes;
      expect(
        (transactions as { resource: { reference: string } }[]).map(
          ({ resource }) => resource.reference,
        ),
      ).toEqual([reference]);
    }
  });

  it.each(['till', 'company'])(
    'get webhooks of their own money only, from a subscription to the %s',
    async (scope) => {
      for (const [client, name, till] of [
        [platform.client, 'one', ONE_TILL],
        [platform.other, 'two', TWO_TILL],
      ] as const) {
        await client.post('/api/v1/webhook_subscriptions', {
          event_type: 'buygoods_transaction_received',
          url: `${platform.receiver.url}/${name}`,
          scope,
          ...(scope === 'till' && { scope_reference: till }),
        });
      }
      await payTill(ONE_TILL);
      expect(platform.receiver.received.map(({ path }) => path)).toEqual(['/one']);
      await payTill(TWO_TILL);
      expect(platform.receiver.received.map(({ path }) => path)).toEqual(['/one', '/two']);
    },
  );

  it('get the events that a test emits for them, and not those of the other', async () => {
    for (const client of [platform.client, platform.other]) {
      await client.post('/api/v1/webhook_subscriptions', {
        event_type: 'customer_created',
        url: platform.receiver.url,
        scope: 'company',
      });
    }
    await platform.simulator.emit('customer_created', {}, 'two');
    expect(platform.simulator.deliveries.list().map(({ merchant }) => merchant)).toEqual(['two']);
    await platform.simulator.emit('customer_created');
    expect(platform.simulator.deliveries.list({ merchant: 'one' })).toHaveLength(1);
    await expect(
      platform.simulator.emit('card_transaction_received', { till_number: ONE_TILL }, 'two'),
    ).rejects.toThrow(/till 100001 is one of the merchant "one"/);
    await expect(platform.simulator.emit('customer_created', {}, 'three')).rejects.toThrow(
      /no merchant "three"/,
    );
  });

  it('get callbacks and webhooks that are signed with their own key', async () => {
    const { one, two } = {
      one: platform.simulator.merchants.get('one'),
      two: platform.simulator.merchants.get('two'),
    };
    await platform.client.pay({ till: ONE_TILL, callbackUrl: `${platform.receiver.url}/one` });
    await platform.other.pay({ till: TWO_TILL, callbackUrl: `${platform.receiver.url}/two` });
    // The subscription must not see the money of these payments.
    await platform.simulator.idle();
    await platform.other.post('/api/v1/webhook_subscriptions', CREATES[1]![1](TWO_TILL));
    await payTill(TWO_TILL);
    await platform.simulator.idle();
    const received = platform.receiver.received.map(({ path, raw, headers }) => [
      path,
      headers[SIGNATURE_HEADER.toLowerCase()] === sign(raw, one.apiKey) ? 'one' : '',
      headers[SIGNATURE_HEADER.toLowerCase()] === sign(raw, two.apiKey) ? 'two' : '',
    ]);
    expect(received).toHaveLength(3);
    expect(received).toEqual(
      expect.arrayContaining([
        ['/one', 'one', ''],
        ['/two', '', 'two'],
        ['/webhooks', '', 'two'],
      ]),
    );
  });

  it('pay out of their own balance only', async () => {
    const all = (till: string) =>
      sendMoney(platform, [wallet({ amount: 1_000 })], { source_identifier: till });
    await platform.client.post(SEND_MONEY_PATH, all(ONE_TILL));
    await platform.client.post(SEND_MONEY_PATH, all(ONE_TILL));
    await platform.simulator.idle();
    expect(
      platform.simulator.payouts('one').map(({ destinations }) => destinations[0]!.paid),
    ).toEqual([true, false]);
    expect(platform.simulator.balance(`till:${ONE_TILL}`)).toBe(0);
    expect(platform.simulator.balance(`till:${TWO_TILL}`)).toBe(100_000);
    expect(platform.simulator.payouts('two')).toEqual([]);
  });

  it('settle from their own first till to their own settlement account', async () => {
    await platform.other.post('/api/v1/settlement_transfers', { _links: links() });
    await platform.simulator.idle();
    const [settlement] = platform.simulator.merchantAccounts('two');
    expect(platform.simulator.payouts()).toEqual([
      expect.objectContaining({
        merchant: 'two',
        tillNumber: TWO_TILL,
        destinations: [expect.objectContaining({ destinationReference: settlement!.reference })],
      }),
    ]);
    expect(platform.simulator.balance(`till:${ONE_TILL}`)).toBe(100_000);
  });

  it('can pay each other: the money, its transaction and its webhook belong to the one that receives it', async () => {
    const body = {
      ...(CREATES[1]![1](TWO_TILL) as object),
      event_type: 'b2b_transaction_received',
    };
    await platform.other.post('/api/v1/webhook_subscriptions', body);
    const destination = { type: 'till', till_number: TWO_TILL, amount: 10, description: 'Ice' };
    await platform.client.post(
      SEND_MONEY_PATH,
      sendMoney(platform, [destination], { source_identifier: ONE_TILL }),
    );
    await platform.simulator.idle();
    expect(platform.simulator.transactions('one')).toEqual([]);
    expect(platform.simulator.transactions('two')).toEqual([
      expect.objectContaining({ merchant: 'two', tillNumber: TWO_TILL, sendingTill: ONE_TILL }),
    ]);
    expect(platform.simulator.balance(`till:${TWO_TILL}`)).toBe(101_000);
    const webhooks = platform.simulator.deliveries.list({ kind: 'webhook' });
    expect(webhooks.map(({ merchant }) => merchant)).toEqual(['two']);
  });

  it('take back what they have paid each other, in the books and in the transaction of the other', async () => {
    platform.simulator.payout(TWO_TILL, 'cancelled_after_transferred');
    const destination = { type: 'till', till_number: TWO_TILL, amount: 10, description: 'Ice' };
    await platform.client.post(
      SEND_MONEY_PATH,
      sendMoney(platform, [destination], { source_identifier: ONE_TILL }),
    );
    await platform.simulator.clock.advance(10_000);
    expect(platform.simulator.transactions('two')).toEqual([
      expect.objectContaining({ reversed: true }),
    ]);
    expect(platform.simulator.balance(`till:${ONE_TILL}`)).toBe(100_000);
    expect(platform.simulator.balance(`till:${TWO_TILL}`)).toBe(100_000);
  });

  it('revoke and introspect their own tokens only', async () => {
    const form = (name: string, token: string) => {
      const { clientId, clientSecret } = platform.simulator.merchants.get(name);
      return { client_id: clientId, client_secret: clientSecret, token };
    };
    const { token } = platform.client;
    const introspect = async (name: string) =>
      (await platform.client.form('/oauth/introspect', form(name, token))).body as unknown;
    expect(await introspect('two')).toEqual({ active: false });
    expect((await platform.client.form('/oauth/revoke', form('two', token))).status).toBe(200);
    expect(await introspect('one')).toMatchObject({
      active: true,
      client_id: platform.simulator.merchants.get('one').clientId,
    });
    await platform.client.form('/oauth/revoke', form('one', token));
    expect(await introspect('one')).toEqual({ active: false });
  });

  it('get no token with the secret of the other', async () => {
    const { merchants } = platform.simulator;
    const answer = await platform.client.form('/oauth/token', {
      client_id: merchants.get('one').clientId,
      client_secret: merchants.get('two').clientSecret,
      grant_type: 'client_credentials',
    });
    expect(answer.status).toBe(401);
  });

  it('keep their tokens when the other gets a new one, with one token for each', async () => {
    await platform.stop();
    platform = await startTwoMerchants({ singleToken: true });
    await clientOf(platform, 'two');
    expect((await platform.other.get('/oauth/token/info')).status).toBe(401);
    const info = await platform.client.get('/oauth/token/info');
    expect(info.body.application).toEqual({
      uid: platform.simulator.merchants.get('one').clientId,
    });
  });

  it('keep their tokens when those of the other expire', async () => {
    platform.simulator.expireTokens('two');
    expect((await platform.client.get('/oauth/token/info')).status).toBe(200);
    const refused = await platform.other.get('/oauth/token/info');
    expect(refused.body.error_message).toBe('ExpiredAccessToken');
  });

  it('share the phones: a customer sees the prompts of both, each with its merchant', async () => {
    const phone = '+254700000014';
    await platform.client.pay({ till: ONE_TILL, phone });
    await platform.other.pay({ till: TWO_TILL, phone });
    await platform.simulator.idle();
    const prompts = platform.simulator.handset(phone).prompts();
    expect(prompts.map(({ merchant }) => merchant)).toEqual(['one', 'two']);
  });

  it('have their own entries in the lists and in the journal', async () => {
    await platform.client.pay({ till: ONE_TILL, callbackUrl: links().callback_url });
    await platform.other.pay({ till: TWO_TILL, callbackUrl: links().callback_url });
    await platform.simulator.idle();
    const { simulator } = platform;
    for (const name of ['one', 'two']) {
      for (const list of [
        simulator.charges(name),
        simulator.transactions(name),
        simulator.deliveries.list({ merchant: name }),
      ]) {
        expect(list.map(({ merchant }) => merchant)).toEqual([name]);
      }
      const entries = simulator.journal.entries(0, name);
      expect(new Set(entries.map(({ merchant }) => merchant))).toEqual(new Set([name]));
      expect(new Set(entries.map(({ type }) => type))).toEqual(
        new Set(['request', 'note', 'attempt']),
      );
    }
    expect(simulator.balances('one')).toEqual([
      expect.objectContaining({ account: `till:${ONE_TILL}`, balance: 110_000 }),
    ]);
    expect(simulator.books('one').map(({ why }) => why)).toEqual(['opening balance', 'payment']);
    expect(() => simulator.charges('three')).toThrow(/no merchant "three"/);
  });

  it('do not share the reference of a transaction', async () => {
    await payTill(ONE_TILL, 'SAME');
    await expect(payTill(TWO_TILL, 'SAME')).rejects.toThrow(/a transaction SAME already/);
  });
});
