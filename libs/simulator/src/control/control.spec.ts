import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FAULTS } from '../faults/faults.constants.js';
import { PAYOUT_SCENARIOS } from '../payouts/payout-scenarios.constants.js';
import { SCENARIOS } from '../scenarios/scenarios.constants.js';
import { send, wallet } from '../testing/money-out.fixture.js';
import { idOf } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

const TILL_PAYMENT = { tillNumber: '514459', phoneNumber: '+254700000001', amount: 5 };

describe('The control API of the simulator', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform();
  });

  afterEach(() => platform.stop());

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) {
    const response = await fetch(`${platform.simulator.url}/_simulator${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, never> };
  }
  const pay = async (phone = '+254700000001') => {
    const id = await platform.client.pay({ phone, callbackUrl: platform.receiver.url });
    await call('POST', '/idle');
    return id;
  };

  it('returns the settings of the platform without secrets', async () => {
    const { body } = await call('GET', '');
    expect(body).toMatchObject({
      url: platform.simulator.url,
      clientId: platform.simulator.clientId,
    });
    expect(JSON.stringify(body)).not.toContain(platform.simulator.clientSecret);
    expect(JSON.stringify(body)).not.toContain(platform.simulator.apiKey);
  });

  it('moves the clock', async () => {
    const before = platform.simulator.clock.now();
    const { body } = await call('POST', '/clock/advance', { ms: 3_600_000 });
    expect(body.now).toBeGreaterThanOrEqual(before + 3_600_000);
    await call('POST', '/clock/skew', { ms: -86_400_000 });
    expect((await call('GET', '/clock')).body.now).toBeLessThan(before);
  });

  it('lists the scenarios and overrides that of a number', async () => {
    expect((await call('GET', '/scenarios')).body.scenarios).toEqual(SCENARIOS);
    await call('PUT', '/scenarios/+254700000001', { scenario: 'cancelled' });
    await pay();
    await call('DELETE', '/scenarios/+254700000001');
    await pay();
    expect(platform.arrivals()).toEqual(['Failed', 'Success']);
  });

  it('lists faults, sets them and clears them', async () => {
    expect((await call('GET', '/faults')).body.faults).toEqual(FAULTS);
    await call('PUT', '/faults/duplicate', {
      rate: 1,
      options: { times: 2 },
      match: { delivery: 'callback' },
    });
    await pay();
    expect(platform.receiver.received).toHaveLength(3);
    await call('DELETE', '/faults/duplicate');
    await call('POST', '/faults/lose/once', { match: { phone: '+254700000002' } });
    await pay('+254700000002');
    await pay();
    expect(platform.receiver.received).toHaveLength(4);
    await call('DELETE', '/faults');
    expect(
      platform.simulator.faults.settings().every(({ rate, once }) => rate === 0 && once === 0),
    ).toBe(true);
  });

  it('performs every action of a handset', async () => {
    await pay('+254700000014');
    expect((await call('GET', '/handsets')).body).toMatchObject([
      { phone: '+254700000014', isOn: true, prompts: [{ state: 'open' }], inbox: [] },
    ]);
    await call('POST', '/handsets/+254700000014/approve', { pin: '0000' });
    await pay('+254700000014');
    await call('POST', '/handsets/+254700000014/cancel');
    await pay('+254700000014');
    await call('POST', '/handsets/+254700000014/wrong-pin');
    await pay('+254700000014');
    await call('POST', '/handsets/+254700000014/ignore');
    await call('POST', '/handsets/+254700000014/switch-off');
    expect((await call('GET', '/handsets/+254700000014')).body.isOn).toBe(false);
    await call('POST', '/handsets/+254700000014/switch-on');
    expect(platform.arrivals()).toEqual(['Failed', 'Failed', 'Failed']);
    expect((await call('POST', '/handsets/+254700000014/smash')).status).toBe(400);
  });

  it('pays into a till, reverses the transaction and emits an event', async () => {
    await platform.subscribe();
    await platform.subscribe('buygoods_transaction_reversed');
    await platform.subscribe('customer_created', { scope: 'company', scope_reference: '' });
    const { body } = await call('POST', '/till-payments', {
      tillNumber: '514459',
      phoneNumber: '+254700000001',
      amount: 5,
      firstName: 'Wanjiru',
    });
    await call('POST', '/reversals', { reference: body.reference });
    await call('POST', '/events', {
      eventType: 'customer_created',
      resource: { first_name: 'Jane' },
    });
    expect(platform.arrivals().toSorted()).toEqual([
      'buygoods_transaction_received',
      'buygoods_transaction_reversed',
      'customer_created',
      'customer_created',
    ]);
    expect((await call('GET', '/transactions')).body).toMatchObject([
      { firstName: 'Wanjiru', reversed: true },
    ]);
    expect((await call('GET', '/webhook-subscriptions')).body).toHaveLength(3);
    expect((await call('GET', '/event-types')).body).toHaveProperty('customer_created');
  });

  it('lists the charges', async () => {
    const id = await pay();
    expect((await call('GET', '/charges')).body).toMatchObject([{ paymentId: id, charged: true }]);
  });

  it('lists balances, books, payouts, refunds, recipients and own accounts', async () => {
    await pay();
    const [{ reference }] = (await call('GET', '/transactions')).body as unknown as [
      { reference: string },
    ];
    await platform.client.post('/api/v2/reversals', {
      transaction_reference: reference,
      reason: 'Broken',
      _links: { callback_url: platform.receiver.url },
    });
    await call('POST', '/idle');
    await send(platform, [wallet()]);
    expect((await call('GET', '/balances')).body).toContainEqual({
      account: 'mobile_wallet:+254700000001',
      currency: 'KES',
      balance: 10_000,
      reserved: 0,
    });
    expect((await call('GET', '/books')).body).toMatchObject([
      { why: 'payment', amount: 10_000 },
      { why: 'refund', amount: 10_000 },
    ]);
    expect((await call('GET', '/refunds')).body).toMatchObject([{ paid: true }]);
    expect((await call('GET', '/payouts')).body).toMatchObject([
      { destinations: [{ paid: false, status: 'Cancelled' }] },
    ]);
    expect((await call('GET', '/recipients')).body).toMatchObject([{ type: 'mobile_wallet' }]);
    expect((await call('GET', '/merchant-accounts')).body).toMatchObject([
      { type: 'merchant_bank_account' },
    ]);
    expect((await call('GET', '/handsets/+254700000001')).body).toMatchObject({ balance: 10_000 });
  });

  it('lists the payout scenarios and overrides that of a number', async () => {
    expect((await call('GET', '/payout-scenarios')).body.scenarios).toEqual(PAYOUT_SCENARIOS);
    await call('PUT', '/payout-scenarios/+254700000001', { scenario: 'cancelled' });
    expect((await call('GET', '/payout-scenarios')).body.overrides).toEqual({
      '254700000001': 'cancelled',
    });
    await call('DELETE', '/payout-scenarios/+254700000001');
    expect(platform.simulator.payoutScenarios()).toEqual({});
    const unknown = { scenario: 'none' };
    expect((await call('PUT', '/payout-scenarios/+254700000001', unknown)).body).toMatchObject({
      error: 'SIMULATOR_UNKNOWN_PAYOUT_SCENARIO',
    });
  });

  it('lists payment links and pays one', async () => {
    const created = await platform.client.post('/api/v2/payment_links', {
      till_number: '514459',
      currency: 'KES',
      amount: 5,
      _links: { callback_url: platform.receiver.url },
    });
    await call('POST', '/idle');
    const path = `/links/${idOf(created)}/pay`;
    const payer = { phoneNumber: '+254700000001' };
    expect((await call('POST', path, payer)).body).toMatchObject({ amount: 5 });
    expect((await call('GET', '/links')).body).toMatchObject([{ state: 'paid' }]);
    expect((await call('POST', path, payer)).status).toBe(400);
    expect((await call('POST', '/links/none/pay', payer)).status).toBe(404);
  });

  it('expires the tokens', async () => {
    await call('POST', '/tokens/expire');
    expect((await platform.client.get('/api/v2/polling/none')).status).toBe(401);
  });

  it('lists deliveries, and resends, duplicates, delays and drops them', async () => {
    platform.receiver.answers = [500];
    const paymentId = await pay();
    const [{ id }] = (
      await call('GET', `/deliveries?state=waiting&kind=callback&paymentId=${paymentId}`)
    ).body as unknown as [{ id: string }];
    await call('POST', `/deliveries/${id}/delay`, { ms: 60_000 });
    await call('POST', `/deliveries/${id}/drop`);
    expect((await call('GET', `/deliveries/${id}`)).body.state).toBe('dropped');
    await call('POST', `/deliveries/${id}/resend`, {});
    await call('POST', `/deliveries/${id}/resend`, { corruption: 'wrong-key' });
    await call('POST', `/deliveries/${id}/duplicate`, { times: 3 });
    expect(platform.receiver.received).toHaveLength(6);
    expect((await call('POST', `/deliveries/${id}/resend`, { corruption: 'fold' })).status).toBe(
      400,
    );
    expect((await call('POST', '/deliveries/none/drop')).status).toBe(404);
  });

  it('returns the journal, which does not contain its own requests', async () => {
    await pay();
    const all = (await call('GET', '/journal')).body as unknown as {
      sequence: number;
      url?: string;
    }[];
    expect(all.length).toBeGreaterThan(2);
    expect(all.filter(({ url }) => url?.includes('_simulator'))).toEqual([]);
    const last = all.at(-1)!.sequence;
    expect((await call('GET', `/journal?after=${last - 1}`)).body).toHaveLength(1);
    expect((await call('GET', '/journal?limit=2')).body).toHaveLength(2);
    expect((await call('GET', '/journal?limit=0')).status).toBe(400);
  });

  it('streams the kept journal entries, then each new one', async () => {
    const response = await fetch(`${platform.simulator.url}/_simulator/journal/stream`);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const chunks: string[] = [];
    const decoder = new TextDecoder();
    await platform.client.get('/api/v2/polling/none');
    for await (const chunk of response.body!) {
      chunks.push(decoder.decode(chunk as Uint8Array));
      if (chunks.join('').includes('id: 2\n')) break;
    }
    expect(chunks.join('')).toMatch(
      /id: 1\nevent: request\ndata: \{.*\}\n\nid: 2\nevent: request\n/s,
    );
  });

  it('streams only entries after Last-Event-ID', async () => {
    await platform.client.get('/api/v2/polling/none');
    const response = await fetch(`${platform.simulator.url}/_simulator/journal/stream`, {
      headers: { 'last-event-id': '1' },
    });
    const chunks: string[] = [];
    for await (const chunk of response.body!) {
      chunks.push(new TextDecoder().decode(chunk as Uint8Array));
      if (chunks.join('').includes('id: 2\n')) break;
    }
    expect(chunks.join('')).not.toContain('id: 1\n');
  });

  it.each([
    ['POST', '/clock/advance', { ms: '5' }, /^ms must be a number from 0/],
    ['POST', '/clock/advance', { ms: -5 }, /^ms must be a number from 0/],
    ['POST', '/clock/advance', { ms: 1e308 }, /^ms must be a number from 0/],
    ['POST', '/clock/advance', '{"ms":1e999}', /^ms must be a number from 0/],
    ['POST', '/clock/skew', { ms: -1e308 }, /^ms must be a number from -/],
    ['POST', '/clock/skew', { ms: -3_000_000_000_000 }, /^ms of clock.skew would move the clock/],
    ['PUT', '/faults/duplicate', { rate: 1, options: { times: 1e9 } }, /^options.times must be/],
    ['PUT', '/faults/duplicate', { rate: 1, options: { times: 1.5 } }, /^options.times must be/],
    ['PUT', '/faults/duplicate', { rate: 1, options: { times: -1 } }, /^options.times must be/],
    ['POST', '/faults/duplicate/once', { options: { times: '9' } }, /^options.times must be/],
    ['PUT', '/faults/delay', { rate: 1, options: { ms: 1e300 } }, /^options.ms must be/],
    ['PUT', '/faults/read-5xx', { rate: 1, options: { status: 99 } }, /^options.status must be/],
    [
      'PUT',
      '/faults/read-429',
      { rate: 1, options: { retryAfter: -1 } },
      /^options.retryAfter must/,
    ],
    ['PUT', '/faults/create-408', { rate: 1, options: { commits: 1 } }, /^options.commits must be/],
    ['PUT', '/faults/lose', { rate: 1, options: { tiems: 1 } }, /^options.tiems is unknown/],
    ['PUT', '/faults/lose', { rate: 1, match: { phone: 7 } }, /^match.phone must be a string/],
    ['PUT', '/faults/lose', { rate: 1, match: { color: 'red' } }, /^match.color is unknown/],
    ['POST', '/deliveries/none/duplicate', { times: 1e6 }, /^times must be a whole number from 1/],
    ['POST', '/deliveries/none/duplicate', { times: 0 }, /^times must be a whole number from 1/],
    ['POST', '/deliveries/none/delay', { ms: -1 }, /^ms must be a number from 0/],
    ['POST', '/deliveries/none/delay', { ms: 1e300 }, /^ms must be a number from 0/],
    ...[1e308, 0, -5, 1e9].map(
      (amount) =>
        [
          'POST',
          '/till-payments',
          { ...TILL_PAYMENT, amount },
          /^amount must be a number/,
        ] as const,
    ),
    ['POST', '/till-payments', { ...TILL_PAYMENT, amount: 1.001 }, /not a valid amount/],
    ['POST', '/till-payments', { ...TILL_PAYMENT, originatedAt: 1e300 }, /^originatedAt must be/],
    ['POST', '/till-payments', { ...TILL_PAYMENT, originatedAt: -1 }, /^originatedAt must be/],
    ['POST', '/clock/advance', '[]', 'The body must be a JSON object.'],
    ['POST', '/clock/advance', '{', 'The body is not JSON.'],
    ['PUT', '/faults/none', { rate: 1 }, /no fault "none"/],
    ['PUT', '/faults/lose', { rate: 2 }, /^rate must be a number from 0 to 1/],
    ['PUT', '/faults/lose', { rate: 1, match: [] }, 'match must be an object.'],
    ['PUT', '/scenarios/+254700000001', { scenario: 'none' }, /no scenario "none"/],
    ['PUT', '/scenarios/+254700000001', { scenario: 1 }, 'scenario must be a string.'],
    ['PUT', '/scenarios/0700', { scenario: 'busy' }, /not a phone number/],
    ['POST', '/events', { eventType: 'none' }, /not an event type/],
  ])('refuses %s %s with %j', async (method, path, body, message) => {
    const answer = await call(method, path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toEqual(expect.stringMatching(message));
  });

  it.each([
    ['/journal?after=-1', /^after must be a whole number/],
    ['/journal?after=x', /^after must be a whole number/],
    ['/journal?limit=1e9', /^limit must be a whole number/],
    ['/deliveries?limit=-5', /^limit must be a whole number/],
  ])('refuses GET %s', async (path, message) => {
    expect(await call('GET', path)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) },
    });
  });

  it('refuses texts of more than 500 characters', async () => {
    const text = 'x'.repeat(501);
    for (const [method, path, body, field] of [
      [
        'PUT',
        '/faults/unknown-status',
        { rate: 1, options: { paymentStatus: text } },
        'options.paymentStatus',
      ],
      ['POST', '/till-payments', { ...TILL_PAYMENT, firstName: text }, 'firstName'],
    ] as const)
      expect(await call(method, path, body)).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining(`${field} must have at most 500 characters`) },
      });
  });

  it.each<Record<string, string>>([
    { origin: 'https://elsewhere.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
  ])('refuses calls from pages of other origins, which send the headers %j', async (headers) => {
    expect((await call('POST', '/tokens/expire', undefined, headers)).status).toBe(403);
    expect((await platform.client.get('/api/v2/polling/none')).status).toBe(404);
  });

  it('keeps a clock that works when it is moved again and again', async () => {
    const century = 100 * 365 * 86_400_000;
    let answer = await call('POST', '/clock/advance', { ms: century });
    while (answer.status === 200) answer = await call('POST', '/clock/advance', { ms: century });
    expect(answer.body.message).toMatch(/^ms of clock.advance would move the clock out of/);
    expect((await call('GET', '/clock')).status).toBe(200);
    await platform.client.authenticate();
    expect(await pay()).toEqual(expect.any(String));
  });

  it('keeps at most a thousand pending faults of a kind', async () => {
    for (let n = 0; n < 1_000; n += 1) platform.simulator.faults.once('lose');
    const { status, body } = await call('POST', '/faults/lose/once', {});
    expect(status).toBe(400);
    expect(body.message).toMatch(/^lose is pending 1000 times already/);
  });

  it('serves at most fifty streams at a time, and another one when a reader has left', async () => {
    const stream = () => fetch(`${platform.simulator.url}/_simulator/journal/stream`);
    const streams = await Promise.all(Array.from({ length: 50 }, stream));
    const refused = await stream();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    await Promise.all(streams.map((response) => response.body!.cancel()));
    while ((await stream()).status !== 200) await new Promise((next) => setImmediate(next));
  });

  /** Returns the status of a GET whose `Host` header differs from the address. */
  const statusFor = (host: string, path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(platform.simulator.url);
      const sent = httpRequest({ hostname, port, path, headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.once('error', reject).end();
    });

  describe.each([
    '/_simulator',
    '/_simulator/clock',
    '/_simulator/journal/stream',
    '/',
    '/?phone=+254700000014',
    '/assets/page.js',
  ])('at %s', (path) => {
    it.each([
      'evil.example',
      'evil.example:80',
      '127.0.0.1.evil.example',
      'localhost@evil',
      '10.0.0.1',
    ])('refuses the host %s, to which a web page may have given our address', async (host) => {
      expect(await statusFor(host, path)).toBe(403);
    });

    it.each(['localhost', '127.0.0.1:80', '[::1]:80', 'LOCALHOST:4010', 'simulator.test:4010'])(
      'accepts the host %s',
      async (host) => {
        await platform.stop();
        platform = await startPlatform({ allowedHosts: ['simulator.test'] });
        expect(await statusFor(host, path)).toBe(200);
      },
    );
  });

  it('leaves the API of the platform open to any host, because it needs a token', async () => {
    expect(await statusFor('simulator:4010', '/api/v2/polling/none')).not.toBe(403);
  });

  it('accepts calls from its own pages', async () => {
    const headers = { origin: platform.simulator.url, 'sec-fetch-site': 'same-origin' };
    expect((await call('POST', '/tokens/expire', undefined, headers)).status).toBe(200);
  });
});
