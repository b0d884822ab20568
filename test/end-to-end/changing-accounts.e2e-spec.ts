import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  AccountRemovedError,
  MemoryStore,
  PaymentsAccounts,
  PaymentsModule,
  PaymentsStore,
  signDelivery,
  TokensService,
  type AddedAccountOptions,
  type PaymentsOptions,
} from '@tillkit/payments';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { listeningAt, moduleOf } from '../support/application.js';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { aPayout, aRequest } from '../support/merchant.js';
import { freePort } from '../support/free.port.js';
import { PLATFORM } from '../support/platform.js';
import { RawConnection } from '../support/raw.connection.js';
import { ShopAccounts, Shops } from '../support/shops.js';
import { until } from '../support/until.js';

const JANE = { by: 'jane@shop.example', note: 'the key was stolen' };

// Only the accounts of a process play a part here, not its HTTP adapter.
describe('Accounts that change while the application runs', () => {
  let simulator: Simulator;
  let store: MemoryStore;
  let shops: Shops;
  let app: INestApplication;
  let origin: string;

  const optionsOf = (merchant: string): AddedAccountOptions => {
    const { clientId, clientSecret, apiKey, tillNumbers } = simulator.merchants.get(merchant);
    return { clientId, clientSecret, apiKeys: [apiKey], tillNumber: tillNumbers[0] as string };
  };

  const start = async (declared?: PaymentsOptions, sending = {}): Promise<void> => {
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    const common = { baseUrl: simulator.url, publicUrl: origin };
    app = await listeningAt(port, PLATFORM, {
      imports: [
        moduleOf(PaymentsStore, store, true),
        PaymentsModule.forAccounts({
          ...common,
          source: ShopAccounts,
          imports: [moduleOf(Shops, shops)],
          sending,
          keepRemovedMs: 0,
          payouts: { limits: { KES: { approveFrom: '0' } } },
        }),
        ...(declared ? [PaymentsModule.forRoot({ ...common, ...declared })] : []),
      ],
    });
  };

  const accounts = (): PaymentsAccounts => app.get(PaymentsAccounts);

  beforeEach(async () => {
    simulator = await Simulator.start({
      timings: INSTANT_TIMINGS,
      merchants: [
        { name: 'one', tillNumbers: ['514459'] },
        { name: 'two', tillNumbers: ['000123'] },
      ],
    });
    store = new MemoryStore();
    shops = new Shops();
  });

  afterEach(async () => {
    await Promise.all([app.close(), simulator.stop()]);
  });

  it('begin no call with a token of a former application that was requested before a rotation, and answered after it', async () => {
    shops.options.set('shop', optionsOf('one'));
    await start();
    const shop = await accounts().get('shop');
    simulator.faults.once('token-slow', {}, { ms: 1_000 });
    const former = shop.get(TokensService).get();
    // We wait until the request is under way. The journal shows it only with its answer.
    await new Promise((resolve) => setTimeout(resolve, 300));
    shops.options.set('shop', optionsOf('two'));
    await accounts().refresh('shop');
    await former;
    const { clientId } = simulator.merchants.get('two');
    expect((await shop.get(TokensService).info()).applicationUid).toBe(clientId);
  });

  it('are loaded again by refresh() after a load that had read the former secrets', async () => {
    shops.options.set('shop', optionsOf('one'));
    await start();
    const shop = await accounts().get('shop');
    let goOn = (): void => undefined;
    shops.delay = new Promise((resolve) => (goOn = resolve));
    const running = accounts().refresh('shop');
    await until(() => shops.loads.length === 2);
    shops.options.set('shop', { ...optionsOf('one'), tillNumber: '000999' });
    shops.delay = null;
    const refreshed = accounts().refresh('shop');
    goOn();
    await Promise.all([running, refreshed]);
    expect((await shop.payments.request(aRequest())).tillNumber).toBe('000999');
  });

  it('do not ask the source again for every wrong signature while it fails', async () => {
    shops.options.set('shop', optionsOf('one'));
    await start();
    await accounts().get('shop');
    // After this time a wrong signature makes it ask again.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    shops.failure = () => Promise.reject(new Error('the vault is sealed'));
    const failsAt = performance.now();
    await expect(accounts().refresh('shop')).rejects.toThrow(/the vault is sealed/);
    const asked = shops.loads.length;
    const url = `${origin}/payments/accounts/shop/webhooks`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => deliverSigned(url, webhookBody(), 'not its key')),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    // The source is asked at most once a second, however long the twenty deliveries take here.
    const seconds = Math.floor((performance.now() - failsAt) / 1_000);
    expect(shops.loads.length - asked).toBeLessThanOrEqual(seconds);
  });

  it('take new requests again when the source has them again with the same options', async () => {
    const options = optionsOf('one');
    shops.options.set('shop', options);
    await start();
    const shop = await accounts().get('shop');
    shops.options.delete('shop');
    await accounts().refresh('shop');
    await expect(shop.payments.request(aRequest())).rejects.toThrow(AccountRemovedError);
    shops.options.set('shop', options);
    await accounts().refresh('shop');
    expect((await shop.payments.request(aRequest())).state).toBe('pending');
  });

  it('that are removed send no payout that a second person approves', async () => {
    shops.options.set('shop', optionsOf('one'));
    await start();
    const { payouts } = await accounts().get('shop');
    const { id } = await payouts.request(aPayout({ requestedBy: 'jane' }));
    accounts().remove('shop');
    await expect(payouts.approve(id, { by: 'peter' })).rejects.toThrow(AccountRemovedError);
    expect((await payouts.decline(id, { by: 'peter', note: 'it left' })).state).toBe('failed');
  });

  it('can be paused while the source fails', async () => {
    shops.failure = () => Promise.reject(new Error('the vault is sealed'));
    await start();
    expect(await accounts().pause({ account: 'shop', ...JANE })).toBe(true);
  });

  it('that are declared at the start are not loaded from the source', async () => {
    await start(optionsOf('one'));
    await accounts().refresh('default');
    expect(shops.loads).toEqual([]);
  });

  it('keep what all accounts have in common when an option is undefined', async () => {
    await start();
    const options = { ...optionsOf('one'), baseUrl: undefined, publicUrl: undefined };
    const shop = await accounts().add('shop', options as never);
    expect((await shop.payments.request(aRequest())).state).toBe('pending');
  });

  it('are added although another one of the same moment has routes that are taken', async () => {
    // Express does not distinguish upper and lower case in the path of a declared account.
    const path = '/payments/accounts/shop';
    await start({ ...optionsOf('one'), account: 'declared', path } as PaymentsOptions);
    const [same, other] = await Promise.allSettled([
      accounts().add('SHOP', { ...optionsOf('one'), tillNumber: '000777', apiKeys: ['its-own'] }),
      accounts().add('other', optionsOf('two')),
    ]);
    expect(String((same as PromiseRejectedResult).reason)).toContain('both have the path');
    expect(other.status).toBe('fulfilled');
  });

  it('send a delivery back with 503 whose account is closed while its body arrives', async () => {
    shops.options.set('shop', optionsOf('one'));
    // It is closed soon after this time.
    await start(undefined, { sendBeforeMs: 1_000 });
    await accounts().get('shop');
    const body = webhookBody();
    const connection = await RawConnection.open(origin);
    connection.post('/payments/accounts/shop/webhooks', {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'X-KopoKopo-Signature': signDelivery(body, simulator.merchants.get('one').apiKey),
    });
    accounts().remove('shop');
    await until(() => !accounts().names().includes('shop'));
    connection.send(body);
    expect(await connection.status()).toBe(503);
  });
});
