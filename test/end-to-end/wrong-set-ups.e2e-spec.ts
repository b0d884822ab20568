import { Logger, type DynamicModule } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  MemoryStore,
  PaymentsAccounts,
  PaymentsModule,
  type PaymentsOptions,
} from '@tillkit/payments';
import { Simulator } from '@tillkit/simulator';
import { aRequest, aRequestOfAnother, Merchant } from '../support/merchant.js';
import { freePort } from '../support/free.port.js';
import { until } from '../support/until.js';

/** Outgoing requests and the log, which are the same on both HTTP platforms. */
describe('A set-up that is wrong and harms nobody at once', () => {
  let merchant: Merchant;
  const lines: string[] = [];

  const open = async (payments: PaymentsOptions, publicPath = ''): Promise<void> => {
    merchant = await Merchant.open({ payments, publicPath });
    const keep = (line: unknown): number => lines.push(String(line));
    Logger.overrideLogger({ log: keep, warn: keep, error: keep });
  };

  /** Requests payments until each has ended. */
  const paid = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      const { id } = await merchant.payments.request(aRequestOfAnother());
      expect(await merchant.payments.settled(id)).toMatchObject({ state: 'succeeded' });
    }
  };

  beforeEach(() => void (lines.length = 0));
  afterEach(async () => {
    Logger.overrideLogger(false);
    await merchant.close();
  });

  it.each([
    ['has nobody who answers', async () => ({ publicUrl: `http://127.0.0.1:${await freePort()}` })],
    ['has a path that no proxy removes', async () => ({})],
  ])('is named once when the public URL %s', async (_, wrongUrl) => {
    const reconciliation = { scheduleMs: [20], intervalMs: 10 };
    await open({ reconciliation, ...(await wrongUrl()) }, '/shop');
    await paid(7);
    // A wrong path may also lead to this application.
    expect(lines.filter((line) => !line.startsWith('a POST near the payments routes'))).toEqual([
      expect.stringMatching(
        /^the last 3 operations ended only because they were read.*check PAYMENTS_PUBLIC_URL.* account=default$/,
      ),
    ]);
  });

  it('is not reported while callbacks come', async () => {
    await open({ reconciliation: { scheduleMs: [60_000] } });
    await paid(4);
    expect(lines).toEqual([]);
  });

  it('is named once when the client secret is wrong', async () => {
    await open({ clientSecret: 'wrong', sending: { sendBeforeMs: 2_000 } });
    for (let n = 0; n < 3; n += 1) {
      expect(await merchant.payments.request(aRequest())).toMatchObject({
        state: 'failed',
        reason: 'not_sent',
      });
    }
    expect(lines).toEqual([
      expect.stringMatching(
        /gives no access token.*answered 401.*Check PAYMENTS_CLIENT_ID and PAYMENTS_CLIENT_SECRET.* account=default$/,
      ),
    ]);
  });

  it('is named once when the platform is down, and once when it is back', async () => {
    await open({ sending: { sendBeforeMs: 2_000 } });
    const { clientId, clientSecret, apiKey, url } = merchant.simulator;
    await merchant.simulator.stop();
    for (let n = 0; n < 2; n += 1) await merchant.payments.request(aRequest());
    expect(lines).toEqual([
      expect.stringMatching(
        /the platform cannot be used \(.*ECONN(REFUSED|RESET).*\): check PAYMENTS_BASE_URL .*\(http:\/\/127/,
      ),
    ]);
    const again = await Simulator.start({
      port: Number(new URL(url).port),
      clientId,
      clientSecret,
      apiKey,
    });
    await until(async () => {
      await merchant.payments.request(aRequestOfAnother());
      return lines.length > 1;
    });
    expect(lines.slice(1)).toEqual(['the platform answers again account=default']);
    await again.stop();
  });
});

const REMOTE = {
  baseUrl: 'https://platform.example',
  clientId: 'id',
  clientSecret: 'secret',
  publicUrl: 'https://shop.example',
  apiKeys: ['an-api-key-of-the-portal'],
};

/** Starts an application, and resolves with its warnings. */
async function warningsOf(
  variables: Record<string, string>,
  imported: DynamicModule,
  started: (app: TestingModule) => Promise<unknown> = () => Promise.resolve(),
): Promise<string[]> {
  const warn = jest.fn();
  const before = { ...process.env };
  Object.assign(process.env, variables);
  try {
    const app = await Test.createTestingModule({ imports: [imported] })
      .setLogger({ log: () => undefined, error: () => undefined, warn })
      .compile();
    await started(app);
    await app.close();
  } finally {
    for (const name of Object.keys(variables)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    Logger.overrideLogger(false);
  }
  return warn.mock.calls.map(([line]) => String(line));
}

describe('A variable that has a wrong name is named once when the application starts', () => {
  const { baseUrl, publicUrl } = REMOTE;
  it.each<[string, DynamicModule]>([
    ['for the default account', PaymentsModule.forRoot(REMOTE)],
    ['for added accounts', PaymentsModule.forAccounts({ baseUrl, publicUrl, background: false })],
    [
      'for the default account, beside added accounts',
      {
        module: class ShopModule {},
        imports: [
          PaymentsModule.forRoot(REMOTE),
          PaymentsModule.forAccounts({ baseUrl, publicUrl, background: false }),
        ],
      },
    ],
  ])('%s', async (_, imported) => {
    const variables = { PAYMENTS_TIL_NUMBER: '514459', PAYMENTS_CHANEL: 'M-PESA STK Push' };
    const lines = await warningsOf(variables, imported);
    expect(lines.filter((line) => line.includes('is not read')).toSorted()).toEqual([
      'PAYMENTS_CHANEL is not read: did you mean PAYMENTS_CHANNEL?',
      'PAYMENTS_TIL_NUMBER is not read: did you mean PAYMENTS_TILL_NUMBER?',
    ]);
  });

  it('not for a named account alone, which reads no variables', async () => {
    const named = PaymentsModule.forRoot({ ...REMOTE, account: 'shop' });
    const lines = await warningsOf({ PAYMENTS_TIL_NUMBER: '514459' }, named);
    expect(lines.filter((line) => line.includes('is not read'))).toEqual([]);
  });
});

describe('A set-up that can lose or forge money', () => {
  const store = new MemoryStore();

  it.each([
    ['a public URL of this machine', {}, /^PAYMENTS_PUBLIC_URL \(http:\/\/localhost:3000\) is/],
    [
      'certificates that nobody checks',
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      /^NODE_TLS_REJECT_UNAUTHORIZED is 0/,
    ],
  ])('is logged once when the application starts, such as %s', async (_, variables, line) => {
    const publicUrl = 'http://localhost:3000';
    const declared = PaymentsModule.forRoot({ ...REMOTE, store, publicUrl });
    const lines = await warningsOf(variables, declared);
    expect(lines.filter((each) => line.test(each))).toHaveLength(1);
    const { baseUrl, ...shop } = REMOTE;
    const added = await warningsOf(
      variables,
      PaymentsModule.forAccounts({ baseUrl, publicUrl, background: false }),
      async (app) => {
        const accounts = app.get(PaymentsAccounts);
        for (const [name, tillNumber] of [
          ['one', '000001'],
          ['two', '000002'],
        ] as const)
          await accounts.add(name, {
            ...shop,
            publicUrl,
            tillNumber,
            apiKeys: [`the-api-key-of-shop-${name}`],
          });
      },
    );
    expect(added.filter((each) => line.test(each))).toHaveLength(1);
  });

  it.each([
    [
      'NODE_ENV=production',
      { NODE_ENV: 'production' },
      /NODE_ENV is production, and no store is set.*: import Postgres/,
    ],
    [
      'PAYMENTS_DATABASE_URL',
      { PAYMENTS_DATABASE_URL: 'postgres://localhost/shop' },
      /PAYMENTS_DATABASE_URL is set, and no store uses it.*: import PostgresStoreModule/,
    ],
  ])(
    'does not start with payments in memory beside %s, unless the options contain the store in memory',
    async (_, variables, why) => {
      await expect(warningsOf(variables, PaymentsModule.forRoot(REMOTE))).rejects.toThrow(why);
      await warningsOf(variables, PaymentsModule.forRoot({ ...REMOTE, store }));
    },
  );
});
