import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  MemoryStore,
  PaymentsAccounts,
  PaymentsModule,
  SendMoneyService,
  type Payment,
  type PaymentsAccount,
} from '@tillkit/payments';
import { aPayout, aRequest, Merchant } from '../support/merchant.js';
import {
  CREATE,
  created,
  json,
  ScriptedPlatform,
  token,
  TOKEN,
  type Handler,
} from '../support/scripted.platform.js';
import { until } from '../support/until.js';

const SEND_MONEY = 'POST /api/v2/send_money';

let platform: ScriptedPlatform;
let merchant: Merchant;
let accounts: PaymentsAccounts;
let shop: PaymentsAccount;
let answerToken: () => void;

beforeEach(async () => {
  platform = await ScriptedPlatform.open();
  const slow: Handler = (request, response) => {
    answerToken = () => token()(request, response);
  };
  platform.on(TOKEN, slow);
  platform.on(CREATE, created('an-id'));
  platform.on(SEND_MONEY, created('an-id', '/api/v2/send_money'));
  merchant = await Merchant.open({
    payments: { store: new MemoryStore(), reconciliation: false },
    imports: [
      PaymentsModule.forAccounts({ reconciliation: false, sending: { sendBeforeMs: 5_000 } }),
    ],
  });
  accounts = merchant.app.get(PaymentsAccounts);
  shop = await accounts.add('shop', {
    baseUrl: platform.url,
    clientId: 'an-id',
    clientSecret: 'a-secret',
    publicUrl: merchant.url,
    apiKeys: ['key'],
    tillNumber: '000123',
  });
});
afterEach(async () => {
  await merchant.close();
  await platform.close();
});

const pay = (): Promise<unknown> => {
  const { subscriber, amount } = aRequest();
  return shop.get(IncomingPaymentsService).create({ subscriber, amount });
};
const payOut = (): Promise<unknown> => {
  const { currency, destinations } = aPayout();
  return shop.get(SendMoneyService).create({ currency, destinations } as never);
};

it.each([
  ['payment', pay, CREATE],
  ['payout', payOut, SEND_MONEY],
])(
  'a bare %s that waits for a token is not sent after a pause was stored',
  async (_, send, route) => {
    const sending = send().catch((error: unknown) => error);
    await until(() => platform.count(TOKEN) === 1);
    expect(await accounts.pause({ account: 'shop', by: 'jane', note: 'the key is stolen' })).toBe(
      true,
    );
    // This is long after the pause.
    await new Promise((resolve) => setTimeout(resolve, 200));
    answerToken();
    await sending;
    expect(platform.count(route)).toBe(0);
  },
);

it.each([
  ['payment', pay, CREATE],
  ['payout', payOut, SEND_MONEY],
])(
  'a bare %s that waits for a token is not sent for an account that was removed meanwhile',
  async (_, send, route) => {
    const sending = send().catch((error: unknown) => error);
    await until(() => platform.count(TOKEN) === 1);
    accounts.remove('shop');
    await new Promise((resolve) => setTimeout(resolve, 200));
    answerToken();
    await sending;
    expect(platform.count(route)).toBe(0);
  },
);

/** Returns a payment that was refused with a 401, and waits for another token when sending is paused. */
const pausedWhileWaiting = async (): Promise<{ sending: Promise<Payment>; sent: () => number }> => {
  let answers = 0;
  platform.on(TOKEN, token(), (request, response) => {
    answerToken = () => token({ access_token: 'another-token' })(request, response);
  });
  platform.on(CREATE, json(401, {}), (request, response) => {
    answers += 1;
    created('an-id')(request, response);
  });
  const sending = shop.payments.request(aRequest());
  await until(() => platform.count(TOKEN) === 2);
  await accounts.pause({ account: 'shop', by: 'jane', note: 'the key is stolen' });
  await new Promise((resolve) => setTimeout(resolve, 200));
  answerToken();
  return { sending, sent: () => answers };
};

it('a payment whose token was refused is not sent again after a pause was stored', async () => {
  const { sending, sent } = await pausedWhileWaiting();
  expect(await sending).toMatchObject({ state: 'failed', reason: 'not_sent' });
  expect(sent()).toBe(0);
});

it('a payment that meets a short pause just before it is sent is sent when the pause ends', async () => {
  const { sending, sent } = await pausedWhileWaiting();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(sent()).toBe(0);
  await accounts.resume({ account: 'shop', by: 'jane', note: 'it was a mistake' });
  expect(await sending).toMatchObject({ state: 'pending' });
});
