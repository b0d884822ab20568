import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SIGNATURE_HEADER, sign } from '../deliveries/delivery-signature.service.js';
import { Simulator } from '../simulator.js';
import type { SimulatorOptions } from '../simulator.options.js';
import {
  clientOf,
  ONE_TILL,
  startTwoMerchants,
  TWO_TILL,
  type TwoMerchants,
} from '../testing/merchants.fixture.js';
import { payment } from '../testing/platform-client.fixture.js';

const ONE = { name: 'one', tillNumbers: ['1'] };

describe('The merchants of the options', () => {
  const start = async (options: SimulatorOptions) => {
    const simulator = await Simulator.start(options);
    await simulator.stop();
    return simulator;
  };

  it('are the merchant "default" when there is no other', async () => {
    const { merchants } = await start({ clientId: 'id', tillNumbers: ['7'] });
    expect(merchants.list()).toEqual([merchants.get('default')]);
    expect(merchants.get('default')).toMatchObject({ clientId: 'id', tillNumbers: ['7'] });
  });

  it('are only those that are named, and the short form reads the first', async () => {
    const simulator = await start({
      merchants: [
        { ...ONE, clientSecret: 'secret' },
        { name: 'two', tillNumbers: ['2'] },
      ],
    });
    expect(simulator.merchants.list().map(({ name }) => name)).toEqual(['one', 'two']);
    const { clientId, apiKey } = simulator.merchants.get('one');
    expect(simulator).toMatchObject({
      clientId,
      apiKey,
      clientSecret: 'secret',
      tillNumbers: ['1'],
    });
  });

  it('are those that are named beside "default" when a setting of it is given too', async () => {
    const { merchants } = await start({ apiKey: 'key', merchants: [ONE] });
    expect(merchants.list().map(({ name }) => name)).toEqual(['default', 'one']);
  });

  it('may be none, until a test adds one', async () => {
    const simulator = await start({ merchants: [] });
    expect(simulator.merchants.list()).toEqual([]);
    expect(() => simulator.clientId).toThrow(/no merchant "default"/);
    simulator.merchants.add(ONE);
    expect(simulator.tillNumbers).toEqual(['1']);
  });

  it('have random credentials of their own', async () => {
    const { merchants } = await start({ merchants: [ONE, { name: 'two', tillNumbers: ['2'] }] });
    const [one, two] = merchants.list();
    for (const fact of ['clientId', 'clientSecret', 'apiKey'] as const)
      expect(one![fact]).not.toBe(two![fact]);
  });

  it('have their own aliases and opening balances', async () => {
    const aliased = { ...ONE, tillAliases: { K1: '1' }, openingBalances: { K1: 5 } };
    const simulator = await start({ merchants: [aliased] });
    expect(simulator.merchants.get('one').tillNumbers).toEqual(['1', 'K1']);
    expect(simulator.balance('till:1')).toBe(500);
  });

  it.each<[string, SimulatorOptions['merchants'] & object, RegExp]>([
    [
      'two merchants of one name',
      [ONE, { name: 'one', tillNumbers: ['2'] }],
      /merchants\[1\]\.name is "one", the name of another/,
    ],
    [
      'two merchants of one client id',
      [
        { ...ONE, clientId: 'id' },
        { name: 'two', tillNumbers: ['2'], clientId: 'id' },
      ],
      /merchants\[1\]\.clientId is "id", the client id of the merchant "one"/,
    ],
    [
      'two merchants of one till',
      [ONE, { name: 'two', tillNumbers: ['2', '1'] }],
      /merchants\[1\]\.tillNumbers has "1", a till of the merchant "one"/,
    ],
    [
      'an alias of a till of another',
      [ONE, { name: 'two', tillNumbers: ['2'], tillAliases: { K2: '1' } }],
      /merchants\[1\]\.tillAliases has "1", a till of the merchant "one"/,
    ],
    [
      'a name with a space',
      [{ ...ONE, name: 'my shop' }],
      /merchants\[0\]\.name is "my shop": a name is/,
    ],
    ['an empty name', [{ ...ONE, name: '' }], /merchants\[0\]\.name is ""/],
    [
      'an empty secret',
      [{ ...ONE, clientSecret: '' }],
      /merchants\[0\]\.clientSecret must not be empty/,
    ],
    [
      'a till of letters',
      [{ ...ONE, tillNumbers: ['shop'] }],
      /merchants\[0\]\.tillNumbers has "shop"/,
    ],
    [
      'a merchant without tills',
      [{ name: 'one' } as never],
      /merchants\[0\]\.tillNumbers must be a list/,
    ],
    [
      'an alias of letters',
      [{ ...ONE, tillAliases: { shop: '1' } }],
      /merchants\[0\]\.tillAliases has "shop"/,
    ],
    [
      'a balance of an unknown till',
      [{ ...ONE, openingBalances: { '9': 1 } }],
      /merchants\[0\]\.openingBalances has "9"/,
    ],
  ])('cannot include %s', async (_, merchants, message) => {
    await expect(Simulator.start({ merchants })).rejects.toThrow(message);
  });

  it('cannot include a till of the merchant "default"', async () => {
    await expect(Simulator.start({ tillNumbers: ['1'], merchants: [ONE] })).rejects.toThrow(
      /merchants\[0\]\.tillNumbers has "1", a till of the merchant "default"/,
    );
  });
});

describe('The merchants of a running simulator', () => {
  let platform: TwoMerchants;

  beforeEach(async () => {
    platform = await startTwoMerchants();
  });

  afterEach(() => platform.stop());

  const merchants = () => platform.simulator.merchants;

  it('take payments as soon as they are added', async () => {
    merchants().add({ name: 'three', tillNumbers: ['300003'], openingBalances: { '300003': 5 } });
    const client = await clientOf(platform, 'three');
    await client.pay({ till: '300003', callbackUrl: platform.receiver.url });
    await platform.simulator.idle();
    expect(platform.arrivals()).toEqual(['Success']);
    expect(platform.simulator.balance('till:300003')).toBe(10_500);
  });

  it('refuse the name, client id and till of another, and add nothing then', () => {
    const { clientId } = merchants().get('one');
    expect(() => merchants().add({ name: 'one', tillNumbers: [] })).toThrow(/option name is "one"/);
    expect(() => merchants().add({ name: 'three', clientId, tillNumbers: [] })).toThrow(/clientId/);
    expect(() => merchants().add({ name: 'three', tillNumbers: ['3', ONE_TILL] })).toThrow(
      /tillNumbers has "100001", a till of the merchant "one"/,
    );
    expect(merchants().list()).toHaveLength(2);
    expect(merchants().add({ name: 'three', tillNumbers: ['3'] }).tillNumbers).toEqual(['3']);
  });

  it('name a merchant that does not exist', () => {
    expect(() => merchants().get('three')).toThrow(/no merchant "three"/);
    expect(() => merchants().remove('three')).toThrow(/no merchant "three"/);
  });

  it('get no more tokens, and none of theirs works any more, after they are removed', async () => {
    const { clientId, clientSecret } = merchants().get('two');
    merchants().remove('two');
    const refused = await platform.other.get('/oauth/token/info');
    expect(refused.status).toBe(401);
    expect(refused.body.error_message).toBe('InvalidAccessToken');
    const form = {
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: 'client_credentials',
    };
    expect((await platform.other.form('/oauth/token', form)).status).toBe(401);
    expect((await platform.client.get('/oauth/token/info')).status).toBe(200);
    await expect(
      platform.simulator.payTill({ tillNumber: TWO_TILL, phoneNumber: '+254700000001', amount: 1 }),
    ).rejects.toThrow(/There is no till 200002\. The tills are 100001\./);
  });

  it('get what is in flight when they are removed, signed with their key', async () => {
    const { apiKey } = merchants().get('two');
    await platform.other.post('/api/v1/webhook_subscriptions', {
      event_type: 'buygoods_transaction_received',
      url: `${platform.receiver.url}/webhooks`,
      scope: 'company',
    });
    await platform.other.pay({
      till: TWO_TILL,
      phone: '+254700000006',
      callbackUrl: `${platform.receiver.url}/callbacks`,
    });
    await platform.simulator.idle();
    merchants().remove('two');
    await platform.simulator.clock.advance(60_000);
    expect(platform.receiver.received.map(({ path }) => path).sort()).toEqual([
      '/callbacks',
      '/webhooks',
    ]);
    for (const { raw, headers } of platform.receiver.received)
      expect(headers[SIGNATURE_HEADER.toLowerCase()]).toBe(sign(raw, apiKey));
    expect(platform.simulator.charges('two')).toEqual([
      expect.objectContaining({ merchant: 'two', status: 'Success', charged: true }),
    ]);
  });

  it('leave their name, client id and tills to a new one, but no money, resources and tokens', async () => {
    const { clientId, clientSecret } = merchants().get('two');
    const id = await platform.other.pay({ till: TWO_TILL });
    await platform.simulator.idle();
    merchants().remove('two');
    merchants().add({
      name: 'two',
      tillNumbers: [TWO_TILL],
      clientId,
      clientSecret,
      openingBalances: { [TWO_TILL]: 3 },
    });
    expect((await platform.other.get('/oauth/token/info')).status).toBe(401);
    await platform.other.authenticate();
    expect((await platform.other.get(`/api/v2/incoming_payments/${id}`)).status).toBe(404);
    expect(platform.simulator.balance(`till:${TWO_TILL}`)).toBe(300);
    expect(
      (await platform.other.post('/api/v2/incoming_payments', payment({ till: TWO_TILL }))).status,
    ).toBe(201);
  });

  it('can be a thousand, of which the idle ones set no timer', async () => {
    const before = process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
    for (let at = 0; at < 1_000; at++)
      merchants().add({ name: `shop-${at}`, tillNumbers: [`7${String(at).padStart(5, '0')}`] });
    for (const merchant of merchants().list())
      merchant.rotateApiKey({ at: platform.simulator.clock.now() + 60_000 });
    expect(process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length).toBe(before);
    const client = await clientOf(platform, 'shop-999');
    await client.pay({ till: '700999', callbackUrl: platform.receiver.url });
    await platform.simulator.idle();
    expect(platform.simulator.charges('shop-999')).toHaveLength(1);
    expect(platform.simulator.charges()).toHaveLength(1);
  });
});
