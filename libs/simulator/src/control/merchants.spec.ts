import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  clientOf,
  ONE_TILL,
  startTwoMerchants,
  TWO_TILL,
  type TwoMerchants,
} from '../testing/merchants.fixture.js';

describe('The control API of the merchants', () => {
  let platform: TwoMerchants;

  beforeEach(async () => {
    platform = await startTwoMerchants();
  });

  afterEach(() => platform.stop());

  async function call(method: string, path: string, body?: unknown) {
    const response = await fetch(`${platform.simulator.url}/_simulator${path}`, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- tests read any field of a body
    return { status: response.status, body: (await response.json()) as any };
  }

  it('lists the merchants without secrets, and counts them in the overview', async () => {
    const { body } = await call('GET', '/merchants');
    expect(body).toEqual([
      { name: 'one', clientId: expect.any(String), tillNumbers: [ONE_TILL] },
      { name: 'two', clientId: expect.any(String), tillNumbers: [TWO_TILL] },
    ]);
    expect((await call('GET', '')).body).toMatchObject({ merchants: 2, tillNumbers: [ONE_TILL] });
  });

  it('still has an overview without a merchant', async () => {
    for (const name of ['one', 'two']) await call('DELETE', `/merchants/${name}`);
    expect((await call('GET', '')).body).toMatchObject({
      merchants: 0,
      clientId: null,
      tillNumbers: [],
    });
  });

  it('adds a merchant and returns its credentials', async () => {
    const { status, body } = await call('POST', '/merchants', {
      name: 'three',
      tillNumbers: ['3'],
      tillAliases: { K3: '3' },
      openingBalances: { '3': 12.5 },
      apiKey: 'key',
    });
    expect(status).toBe(200);
    const { clientId, clientSecret } = platform.simulator.merchants.get('three');
    expect(body).toEqual({
      name: 'three',
      clientId,
      clientSecret,
      clientSecrets: [clientSecret],
      apiKey: 'key',
      nextApiKey: null,
      tillNumbers: ['3', 'K3'],
    });
    expect(platform.simulator.balance('till:3')).toBe(1_250);
    expect((await call('GET', '/merchants/three')).body).toEqual(body);
    expect((await (await clientOf(platform, 'three')).get('/oauth/token/info')).status).toBe(200);
  });

  it.each([
    [{ tillNumbers: ['3'] }, /name must be a string/],
    [{ name: 'my shop', tillNumbers: ['3'] }, /name is "my shop"/],
    [{ name: 'three' }, /tillNumbers must be a list/],
    [{ name: 'three', tillNumbers: '3' }, /tillNumbers must be a list/],
    [{ name: 'three', tillNumbers: [3] }, /tillNumbers\[0\] must be a string/],
    [{ name: 'three', tillNumbers: ['shop'] }, /tillNumbers has "shop"/],
    [{ name: 'one', tillNumbers: ['3'] }, /name is "one", the name of another merchant/],
    [{ name: 'three', tillNumbers: [ONE_TILL] }, /a till of the merchant "one"/],
    [{ name: 'three', tillNumbers: ['3'], clientId: 7 }, /clientId must be a string/],
    [{ name: 'three', tillNumbers: ['3'], clientSecret: '' }, /clientSecret must not be empty/],
    [{ name: 'three', tillNumbers: ['3'], apiKey: null }, /apiKey must be a string/],
    [{ name: 'three', tillNumbers: ['3'], tillAliases: [] }, /tillAliases must be an object/],
    [{ name: 'three', tillNumbers: ['3'], tillAliases: { K3: 3 } }, /tillAliases.K3 must be a s/],
    [
      { name: 'three', tillNumbers: ['3'], openingBalances: { '3': '5' } },
      /openingBalances.3 must be a number/,
    ],
    [
      { name: 'three', tillNumbers: ['3'], openingBalances: { '4': 5 } },
      /"4", which is not a till/,
    ],
  ])('refuses to add the merchant %j', async (merchant, message) => {
    const { status, body } = await call('POST', '/merchants', merchant);
    expect(status).toBe(400);
    expect(body.message).toMatch(message);
    expect(platform.simulator.merchants.list()).toHaveLength(2);
  });

  it('refuses to add a merchant whose name has more than 500 characters', async () => {
    const merchant = { name: 'x'.repeat(501), tillNumbers: ['3'] };
    expect(await call('POST', '/merchants', merchant)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('name must have at most 500') },
    });
  });

  it('adds a thousand merchants and rotates their keys', async () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `shop-${at}`);
    // We send fifty at a time. Of a thousand connections at once, a busy machine resets some.
    const each = async (act: (name: string, at: number) => Promise<{ status: number }>) => {
      for (let from = 0; from < names.length; from += 50) {
        const some = names.slice(from, from + 50);
        const answers = await Promise.all(some.map((name, at) => act(name, from + at)));
        expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      }
    };
    await each((name, at) =>
      call('POST', '/merchants', { name, tillNumbers: [String(5_000 + at)] }),
    );
    const before = platform.simulator.merchants.list().map(({ apiKey }) => apiKey);
    await each((name) => call('POST', `/merchants/${name}/api-key`));
    const after = platform.simulator.merchants.list().map(({ apiKey }) => apiKey);
    expect(new Set([...before.slice(2), ...after.slice(2)]).size).toBe(2_000);
  });

  it('removes a merchant', async () => {
    expect((await call('DELETE', '/merchants/two')).status).toBe(200);
    expect((await platform.other.get('/oauth/token/info')).status).toBe(401);
    expect((await call('GET', '/merchants/two')).status).toBe(404);
  });

  it('adds a client secret and drops the old ones', async () => {
    const { clientSecret: old } = platform.simulator.merchants.get('one');
    const added = await call('POST', '/merchants/one/client-secrets', { clientSecret: 'new' });
    expect(added.body).toMatchObject({ clientSecret: 'new', clientSecrets: ['new', old] });
    const random = await call('POST', '/merchants/one/client-secrets');
    expect(random.body.clientSecrets).toHaveLength(3);
    const dropped = await call('DELETE', '/merchants/one/client-secrets');
    expect(dropped.body.clientSecrets).toEqual([random.body.clientSecret]);
  });

  it('changes the API key, at once or from a given moment', async () => {
    const now = await call('POST', '/merchants/one/api-key', { apiKey: 'new' });
    expect(now.body).toMatchObject({ apiKey: 'new', nextApiKey: null });
    const at = platform.simulator.clock.now() + 3_600_000;
    const later = await call('POST', '/merchants/one/api-key', { apiKey: 'later', at });
    expect(later.body).toMatchObject({
      apiKey: 'new',
      nextApiKey: { apiKey: 'later', at: new Date(at).toISOString() },
    });
    await platform.simulator.clock.advance(3_600_000);
    expect((await call('GET', '/merchants/one')).body).toMatchObject({
      apiKey: 'later',
      nextApiKey: null,
    });
  });

  it.each([
    ['client-secrets', { clientSecret: 7 }, /clientSecret must be a string/],
    ['client-secrets', { clientSecret: '' }, /clientSecret must not be empty/],
    ['api-key', { apiKey: 7 }, /apiKey must be a string/],
    ['api-key', { apiKey: '' }, /apiKey must not be empty/],
    ['api-key', { at: 'noon' }, /at must be a number/],
    ['api-key', { at: -1 }, /at must be a number/],
  ])('refuses to change the %s of a merchant to %j', async (path, body, message) => {
    const { clientSecret, apiKey } = platform.simulator.merchants.get('one');
    const refused = await call('POST', `/merchants/one/${path}`, body);
    expect(refused.status).toBe(400);
    expect(refused.body.message).toMatch(message);
    expect(platform.simulator.merchants.get('one')).toMatchObject({ clientSecret, apiKey });
  });

  it.each([
    ['GET', '/merchants/three'],
    ['DELETE', '/merchants/three'],
    ['POST', '/merchants/three/client-secrets'],
    ['DELETE', '/merchants/three/client-secrets'],
    ['POST', '/merchants/three/api-key'],
    ['GET', '/charges?merchant=three'],
  ])('answers 404 to %s %s, whose merchant does not exist', async (method, path) => {
    const { status, body } = await call(method, path);
    expect(status).toBe(404);
    expect(body.message).toMatch(/no merchant "three"/);
  });

  it('filters every list by the merchant', async () => {
    const callbackUrl = platform.receiver.url;
    await platform.client.pay({ till: ONE_TILL, callbackUrl });
    await platform.other.pay({ till: TWO_TILL, callbackUrl });
    await platform.simulator.idle();
    for (const list of ['charges', 'transactions', 'deliveries', 'merchant-accounts']) {
      const all = (await call('GET', `/${list}`)).body as { merchant: string }[];
      expect(all.map(({ merchant }) => merchant)).toEqual(['one', 'two']);
      const own = (await call('GET', `/${list}?merchant=two`)).body as { merchant: string }[];
      expect(own.map(({ merchant }) => merchant)).toEqual(['two']);
    }
    for (const list of ['payouts', 'refunds', 'links', 'recipients', 'webhook-subscriptions'])
      expect((await call('GET', `/${list}?merchant=two`)).body).toEqual([]);
    const { body: balances } = await call('GET', '/balances?merchant=two');
    expect(balances).toEqual([expect.objectContaining({ account: `till:${TWO_TILL}` })]);
    const { body: books } = await call('GET', '/books?merchant=two');
    expect(books).toHaveLength(2);
    const { body: entries } = await call('GET', '/journal?merchant=two');
    const merchants = new Set((entries as { merchant: string }[]).map(({ merchant }) => merchant));
    expect(merchants).toEqual(new Set(['two']));
  });

  it('streams the journal of one merchant: the kept entries, then the new ones', async () => {
    const stop = new AbortController();
    const { url } = platform.simulator;
    const { body } = await fetch(`${url}/_simulator/journal/stream?merchant=two`, stop);
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of body!) {
      const isFirst = text === '';
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (isFirst) {
        await platform.client.get('/of-one');
        await platform.client.get('/api/v2/polling/of-one');
        await platform.other.get('/api/v2/polling/of-two');
      }
      if (text.includes('of-two')) break;
    }
    stop.abort();
    expect(text).toContain('/oauth/token');
    expect(text).not.toContain('of-one');
    expect(text).not.toContain('"merchant":"one"');
  });

  it('expires the tokens of one merchant, and emits an event for one', async () => {
    await call('POST', '/tokens/expire', { merchant: 'two' });
    expect((await platform.client.get('/oauth/token/info')).status).toBe(200);
    expect((await platform.other.get('/oauth/token/info')).status).toBe(401);
    const unknown = await call('POST', '/events', {
      eventType: 'customer_created',
      merchant: 'no',
    });
    expect(unknown.status).toBe(404);
    const event = await call('POST', '/events', { eventType: 'customer_created', merchant: 'two' });
    expect(event.body).toEqual({ eventIds: [] });
  });

  it('sets a fault for one merchant', async () => {
    const fault = { rate: 1, match: { merchant: 'two' } };
    expect((await call('PUT', '/faults/create-429', fault)).status).toBe(200);
    expect((await call('GET', '/faults')).body.settings).toEqual([
      expect.objectContaining({ kind: 'create-429', match: { merchant: 'two' } }),
    ]);
  });
});
