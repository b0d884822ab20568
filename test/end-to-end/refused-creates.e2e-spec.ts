import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  MemoryStore,
  PaymentsAccounts,
  PaymentsHttpService,
  type PaymentsAccount,
} from '@tillkit/payments';
import { aPayout, aRequestFrom, aRequestOfAnother, Merchant } from '../support/merchant.js';
import { CREATE, created, json, ScriptedPlatform, TOKEN } from '../support/scripted.platform.js';
import { startShops } from '../support/shops.js';
import { until } from '../support/until.js';

const SEND_MONEY = 'POST /api/v2/send_money';

describe('When the platform refuses creates with a 401 although their token is new', () => {
  let platform: ScriptedPlatform;
  let merchant: Merchant;

  const open = async (sendBeforeMs: number): Promise<void> => {
    merchant = await Merchant.open({
      payments: { ...platform.settings, sending: { sendBeforeMs } },
    });
  };

  beforeEach(async () => {
    platform = await ScriptedPlatform.open();
  });
  afterEach(async () => {
    await merchant.close();
    await platform.close();
  });

  it('one of them tries again after growing times, and all that wait for it fail as not_sent with its error', async () => {
    await open(5_000);
    platform.on(CREATE, json(401, {}));
    const requests = Array.from({ length: 20 }, () =>
      merchant.payments.request(aRequestOfAnother()),
    );
    for (const payment of await Promise.all(requests)) {
      expect(payment).toMatchObject({ state: 'failed', reason: 'not_sent' });
      const history = await merchant.payments.history(payment.id);
      expect(JSON.stringify(history)).toContain('answered 401');
    }
    // Each of the first creates is sent with both tokens, then one after 1 s and one after 3 s. The next one would be tried after 7 s.
    expect(platform.count(CREATE)).toBeLessThanOrEqual(44);
    expect(platform.count(TOKEN)).toBeLessThanOrEqual(4);
  });

  it('those of another resource are sent', async () => {
    await open(5_000);
    platform.on(SEND_MONEY, json(401, {}));
    platform.on(CREATE, created('an-id'));
    const payout = merchant.payouts.request(aPayout());
    const payment = await merchant.payments.request(aRequestFrom('+254700000001'));
    expect(payment).toMatchObject({ state: 'pending' });
    expect(await payout).toMatchObject({ state: 'failed', reason: 'not_sent' });
  });

  it('they are sent as soon as one of them is accepted', async () => {
    await open(60_000);
    platform.on(CREATE, json(401, {}), json(401, {}), created('one'), created('two'));
    const first = merchant.payments.request(aRequestOfAnother());
    expect(await first).toMatchObject({ state: 'pending' });
    expect(await merchant.payments.request(aRequestOfAnother())).toMatchObject({
      state: 'pending',
    });
    expect(platform.count(CREATE)).toBe(4);
  });
});

it('Fifty bare creates of a fresh process learn the clock of the platform by one request', async () => {
  const platform = await ScriptedPlatform.open();
  let ids = 0;
  platform.on(CREATE, (request, response) => created(`id-${(ids += 1)}`)(request, response));
  // Its token comes from elsewhere, so no token request tells the time.
  const tokens = await ScriptedPlatform.open();
  const merchant = await Merchant.open({
    payments: {
      ...platform.settings,
      tokenBaseUrl: tokens.url,
      sending: { sendBeforeMs: 60_000 },
    },
  });
  const creates = Array.from({ length: 50 }, () => {
    const { subscriber, amount } = aRequestOfAnother();
    return merchant.app.get(IncomingPaymentsService).create({ subscriber, amount });
  });
  await Promise.all(creates);
  expect(platform.count('GET /api/v2/incoming_payments')).toBe(1);
  await merchant.close();
  await Promise.all([platform.close(), tokens.close()]);
});

it('A payment does not wait for the interceptors of another account, which do not let it learn the clock of their platform', async () => {
  const platform = await ScriptedPlatform.open();
  platform.on(CREATE, created('an-id'));
  // Its token comes from elsewhere, so no token request tells the time.
  const tokens = await ScriptedPlatform.open();
  const { app } = await startShops(new MemoryStore(), null, { reconciliation: false });
  const add = (name: string, tillNumber: string): Promise<PaymentsAccount> =>
    app.get(PaymentsAccounts).add(name, {
      baseUrl: platform.url,
      tokenBaseUrl: tokens.url,
      clientId: name,
      clientSecret: 's',
      apiKeys: [`k-${name}`],
      tillNumber,
      sending: { sendBeforeMs: 60_000 },
    });
  const other = await add('other', '000001');
  const shop = await add('shop', '000002');
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let isAsked = false;
  other.get(PaymentsHttpService).axiosRef.interceptors.request.use(async (config) => {
    if (config.url?.startsWith(platform.url) === true) {
      isAsked = true;
      await held;
    }
    return config;
  });
  const waiting = other.payments.request(aRequestOfAnother());
  await until(() => isAsked);
  expect(await shop.payments.request(aRequestOfAnother())).toMatchObject({ state: 'pending' });
  release();
  await waiting;
  await app.close();
  await Promise.all([platform.close(), tokens.close()]);
});
