import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  AccountNotFoundError,
  AccountRemovedError,
  AccountUnavailableError,
  IncomingPaymentsService,
  MemoryStore,
  PaymentsAccounts,
  PaymentsConfigurationError,
  PaymentsModule,
  PaymentsStore,
  SweepsService,
  TokensService,
  WebhookSubscriptionsService,
  type Payment,
  type PaymentsOptions,
} from '@tillkit/payments';
import type { PaymentsAccountsModuleOptions } from '@tillkit/payments/types';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { listeningAt, moduleOf } from '../support/application.js';
import { deliver, deliverSigned, webhookBody, type Answer } from '../support/deliver.js';
import { aRequest, aRequestOfAnother, aRequestFrom } from '../support/merchant.js';
import { quicken } from '../support/quick.clock.js';
import { freePort } from '../support/free.port.js';
import { PLATFORM, type Platform } from '../support/platform.js';
import { PLATFORMS } from '../support/platforms.js';
import { RecordedEvents } from '../support/recorded-events.listener.js';
import { optionsOf, ShopAccounts, Shops } from '../support/shops.js';
import { until } from '../support/until.js';

/** The simulator never sends the callback of this customer's payment. */
const SILENT = '+254700000015';

/** A customer who answers the prompt only when the test says so. */
const HANDSET = '+254700000014';

const LOOKS_SIGNED = { 'X-KopoKopo-Signature': 'a'.repeat(64) };

const QUICK = {
  scheduleMs: [20, 40, 60],
  intervalMs: 10,
  requestsPerSecond: 1000,
  sweepEveryMs: 0,
};

const NEW_KEY = 'the-key-after-the-rotation';

describe('Accounts that come while the application runs', () => {
  let simulators: Simulator[];
  let port: number;
  let app: INestApplication;
  let store: MemoryStore;
  let shops: Shops;

  const open = async (): Promise<Simulator> => {
    const simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
    simulators.push(simulator);
    return simulator;
  };

  /** @param declared the options of an account that is declared at the start */
  const start = async (
    options: PaymentsAccountsModuleOptions | null = {},
    {
      platform = PLATFORM,
      declared,
      configure,
      speed = 1,
    }: {
      platform?: Platform;
      declared?: PaymentsOptions;
      configure?: (started: INestApplication) => void;
      speed?: number;
    } = {},
  ): Promise<void> => {
    const publicUrl = `http://127.0.0.1:${port}`;
    const sourced = { source: ShopAccounts, imports: [moduleOf(Shops, shops)], publicUrl };
    app = await listeningAt(
      port,
      platform,
      {
        imports: [
          moduleOf(PaymentsStore, store, true),
          ...(options ? [PaymentsModule.forAccounts({ ...sourced, ...options })] : []),
          ...(declared ? [PaymentsModule.forRoot({ publicUrl, ...declared })] : []),
        ],
        providers: [RecordedEvents],
      },
      (starting) => {
        quicken(starting, speed);
        configure?.(starting);
      },
    );
  };

  const accounts = (): PaymentsAccounts => app.get(PaymentsAccounts);
  const received = (): RecordedEvents => app.get(RecordedEvents);
  const urlOf = (account: string): string =>
    `http://127.0.0.1:${port}/payments/accounts/${account}`;
  const post = (account: string, key: string, body = webhookBody()): Promise<Answer> =>
    deliverSigned(`${urlOf(account)}/webhooks`, body, key);

  /** Posts a delivery until its account may be loaded again, and resolves with the last answer. */
  const postUntilSure = async (account: string, key: string): Promise<number> => {
    let status = 503;
    await until(async () => {
      ({ status } = await post(account, key));
      return status !== 503;
    });
    return status;
  };

  /** The customer pays, as soon as the prompt is there. */
  const approve = async (simulator: Simulator): Promise<void> => {
    await until(() => simulator.handset(HANDSET).prompts().length > 0);
    simulator.handset(HANDSET).approve();
  };

  const succeeded = (account: string, { id }: Payment): Promise<{ payment: Payment }> =>
    received().next(
      'payment.succeeded',
      (event) => event.payment.id === id && event.account === account,
    );

  beforeEach(async () => {
    simulators = [];
    port = await freePort();
    store = new MemoryStore();
    shops = new Shops();
  });

  afterEach(async () => {
    await Promise.all([app.close(), ...simulators.map((simulator) => simulator.stop())]);
  });

  describe('loaded by the source of the host', () => {
    it.each(PLATFORMS)(
      'are loaded on first use, once, and take payments on routes with their name, on $platform',
      async (platform) => {
        const [one, two] = [await open(), await open()];
        shops.options
          .set('one', optionsOf(one))
          .set('two', optionsOf(two, { tillNumber: '000123' }));
        await start({}, { platform });
        const [first, second] = [await accounts().get('one'), await accounts().get('two')];
        const payments = [
          await first.payments.request(aRequest()),
          await second.payments.request(aRequest()),
        ] as const;
        await succeeded('one', payments[0]);
        await succeeded('two', payments[1]);
        expect(one.charges()).toHaveLength(1);
        expect(two.charges()).toHaveLength(1);
        expect(await first.payments.find(payments[1].id)).toBeNull();
        expect(shops.loads).toEqual(['one', 'two']);
        expect(received().named('payment.succeeded')).toHaveLength(2);
      },
    );

    it('have their own token', async () => {
      const [one, two] = [await open(), await open()];
      shops.options.set('one', optionsOf(one)).set('two', optionsOf(two, { tillNumber: '000123' }));
      await start();
      const tokens = await Promise.all(
        ['one', 'two'].map(async (name) => (await accounts().get(name)).get(TokensService).get()),
      );
      expect(tokens[0]).not.toBe(tokens[1]);
    });

    it('are verified with their own keys only', async () => {
      const [one, two] = [await open(), await open()];
      shops.options.set('one', optionsOf(one)).set('two', optionsOf(two, { tillNumber: '000123' }));
      await start();
      expect(await postUntilSure('one', two.apiKey)).toBe(401);
      expect(await postUntilSure('two', one.apiKey)).toBe(401);
      expect((await post('one', one.apiKey)).status).toBe(200);
      await received().next('till.transaction.received', ({ account }) => account === 'one');
      expect(received().named('till.transaction.received')).toHaveLength(1);
    });

    it('are loaded for a delivery that comes before anybody used them', async () => {
      const one = await open();
      shops.options.set('one', optionsOf(one));
      await start();
      expect((await post('one', one.apiKey)).status).toBe(200);
      await received().next('till.transaction.received', ({ account }) => account === 'one');
    });

    it('are found by the payment that a restart has left open, although nobody uses them', async () => {
      const one = await open();
      shops.options.set('one', optionsOf(one));
      await start({ reconciliation: { ...QUICK, scheduleMs: [600_000] } });
      const payment = await (await accounts().get('one')).payments.request(aRequestFrom(SILENT));
      expect(payment.state).toBe('pending');
      await app.close();
      const { id } = (await store.operations.find('one', payment.id)) as { id: string };
      await store.operations.makeDue('one', [id], { cause: 'test', againAfterMs: 0 });
      await start({ reconciliation: QUICK }, { speed: 10 });
      await succeeded('one', payment);
    });

    it('are found by their sweep, although nobody uses them', async () => {
      const one = await open();
      shops.options.set('one', optionsOf(one));
      const sweeping = { ...QUICK, sweepEveryMs: 50 };
      await start({ reconciliation: sweeping });
      await accounts().get('one');
      await until(async () => (await accounts().get('one')).get(SweepsService).sweep());
      await app.close();
      await start({ reconciliation: sweeping }, { speed: 10 });
      await one.payTill({
        tillNumber: '514459',
        phoneNumber: '+254700000077',
        amount: 70,
        silent: true,
      });
      await received().next(
        'till.transaction.received',
        ({ account, via }) => account === 'one' && via === 'sweep',
      );
    });

    it.each(PLATFORMS)(
      'of an unknown name are answered as those of a known one with a wrong signature, and open neither, on $platform',
      async (platform) => {
        shops.options.set('one', optionsOf(await open()));
        const claim = jest.spyOn(store.accounts, 'claim');
        await start({}, { platform });
        const answers = async (account: string): Promise<unknown[]> => {
          const url = urlOf(account);
          const compressed = { ...LOOKS_SIGNED, 'Content-Encoding': 'gzip' };
          const answered = [
            await post(account, 'any'),
            await deliver(`${url}/webhooks`, '{}'),
            await deliver(`${url}/webhooks/${'m'.repeat(43)}`, '{}'),
            await deliver(`${url}/callbacks/loans/x`, '{}', LOOKS_SIGNED),
            await deliver(`${url}/webhooks`, '{}', compressed),
            await deliver(`${url}/webhooks`, 'x'.repeat(70_000), LOOKS_SIGNED),
          ];
          return answered.map(({ status, text }) => ({ status, text }));
        };
        const ofUnknown = await answers('nobody');
        expect(await answers('one')).toEqual(ofUnknown);
        expect(ofUnknown[0]).toMatchObject({ status: 401 });
        expect((await deliver(`${urlOf('not%20a%20name')}/webhooks`, '{}')).status).toBe(401);
        expect(shops.loads.filter((name) => name === 'nobody')).toHaveLength(1);
        expect(claim).not.toHaveBeenCalled();
        await expect(accounts().get('nobody')).rejects.toThrow(AccountNotFoundError);
      },
    );

    it('of an unknown name are not asked for at the host without a signature or a signed URL', async () => {
      await start();
      expect((await deliver(`${urlOf('nobody')}/webhooks`, '{}')).status).toBe(401);
      expect(shops.loads).toEqual([]);
    });

    it('of a name that was unknown just before take deliveries as soon as another process has opened them', async () => {
      const one = await open();
      await start();
      expect((await post('one', one.apiKey)).status).toBe(401);
      shops.options.set('one', optionsOf(one));
      await store.accounts.noteStarts(['one']);
      expect(await postUntilSure('one', one.apiKey)).toBe(200);
    });

    it('take deliveries while outsiders post to more names than the host is asked for', async () => {
      const one = await open();
      shops.options.set('one', optionsOf(one));
      await store.accounts.noteStarts(['one']);
      await start();
      const beganAt = performance.now();
      const outsiders = Array.from({ length: 120 }, (_, index) => post(`nobody-${index}`, 'any'));
      const { status } = await Promise.all(outsiders).then(() => post('one', one.apiKey));
      // 100 in any second: a busy machine may take longer than one.
      const seconds = 1 + Math.floor((performance.now() - beganAt) / 1_000);
      expect(shops.loads.length).toBeLessThanOrEqual(100 * seconds + 1);
      expect(status).toBe(200);
    });

    it('that a source finds in any case of letters are not opened by a stranger who writes their name otherwise, and lose no till', async () => {
      const one = await open();
      shops.failure = async () => optionsOf(one);
      await start();
      expect((await post('ONE', 'a-key-of-a-stranger')).status).toBe(401);
      expect((await post('one', one.apiKey)).status).toBe(200);
      expect(shops.loads).toEqual(['ONE', 'one']);
    });

    it('have one spelling when the source says how its database spells them', async () => {
      const one = await open();
      shops.options.set('one', { account: 'one', ...optionsOf(one) });
      shops.options.set('ONE', { account: 'one', ...optionsOf(one) });
      await start();
      await expect(accounts().get('ONE')).rejects.toThrow(AccountNotFoundError);
      expect((await post('ONE', one.apiKey)).status).toBe(401);
      expect((await post('one', one.apiKey)).status).toBe(200);
    });

    it.each([
      ['fails', () => Promise.reject(new Error('the vault is sealed'))],
      [
        'throws at once',
        () => {
          throw new Error('the vault is sealed');
        },
      ],
    ])(
      'send deliveries back with 503 while the source %s, and take them afterwards',
      async (_, failure) => {
        const one = await open();
        shops.options.set('one', optionsOf(one));
        shops.failure = failure;
        await start();
        const body = webhookBody();
        const refused = await post('one', one.apiKey, body);
        expect(refused).toMatchObject({
          status: 503,
          text: expect.not.stringContaining('vault'),
        });
        expect(refused.retryAfter).not.toBeNull();
        await expect(accounts().get('one')).rejects.toThrow(AccountUnavailableError);
        shops.failure = null;
        expect((await post('one', one.apiKey, body)).status).toBe(200);
      },
    );

    it('say which option of the source is wrong', async () => {
      const one = await open();
      shops.options.set('one', { ...optionsOf(one), tillNumber: 'not a till' });
      await start();
      await expect(accounts().get('one')).rejects.toThrow(/tillNumber of account "one"/);
    });
  });

  describe('whose secrets change', () => {
    it('verify with a new API key as soon as the vault has it', async () => {
      const one = await open();
      shops.options.set('one', optionsOf(one));
      await start();
      await accounts().get('one');
      expect(await postUntilSure('one', NEW_KEY)).toBe(401);
      shops.options.set('one', { ...optionsOf(one), apiKeys: [NEW_KEY, one.apiKey] });
      expect(await postUntilSure('one', NEW_KEY)).toBe(200);
      expect((await post('one', one.apiKey)).status).toBe(200);
    });

    it.each(PLATFORMS)(
      'send deliveries back with 503 when many large ones wait for a slow source, on $platform',
      async (platform) => {
        const one = await open();
        shops.options.set('one', optionsOf(one));
        await start({}, { platform });
        await accounts().get('one');
        expect(await postUntilSure('one', NEW_KEY)).toBe(401);
        let fail = (): void => undefined;
        shops.failure = () =>
          new Promise<never>((_, reject) => (fail = () => reject(new Error('slow'))));
        const loads = shops.loads.length;
        // A load is under way: each delivery that comes now waits for it.
        await until(async () => {
          void post('one', NEW_KEY);
          await new Promise((resolve) => setTimeout(resolve, 50));
          return shops.loads.length > loads;
        });
        const large = JSON.stringify({ text: 'x'.repeat(1_000_000) });
        const url = `${urlOf('one')}/callbacks/incoming-payments/an-id`;
        let answered = 0;
        const waiting = Array.from({ length: 12 }, () =>
          deliverSigned(url, large, NEW_KEY).finally(() => (answered += 1)),
        );
        // Eight of the bodies are 8 MB: the others are not kept until the source has failed.
        await until(() => answered >= 4);
        expect(answered).toBe(4);
        fail();
        for (const { status } of await Promise.all(waiting)) expect(status).toBe(503);
        expect((await post('one', one.apiKey)).status).toBe(200);
      },
    );

    it('refuse a former API key after the refresh', async () => {
      const one = await open();
      shops.options.set('one', optionsOf(one));
      await start();
      await accounts().get('one');
      shops.options.set('one', { ...optionsOf(one), apiKeys: [NEW_KEY] });
      await accounts().refresh('one');
      expect(await postUntilSure('one', one.apiKey)).toBe(401);
      expect((await post('one', NEW_KEY)).status).toBe(200);
    });

    it('get a token with a new client secret when the platform refuses the former one', async () => {
      const one = await open();
      shops.options.set('one', { ...optionsOf(one), clientSecret: 'the-former-secret' });
      await start();
      const { payments } = await accounts().get('one');
      shops.options.set('one', optionsOf(one));
      await until(async () => (await payments.request(aRequest())).state === 'pending');
    });

    it('are loaded again when they are old, also by a host that keeps their services', async () => {
      const one = await open();
      shops.options.set('one', optionsOf(one));
      await start({ refreshMs: 0 });
      const { payments } = await accounts().get('one');
      shops.options.set('one', optionsOf(one, { tillNumber: '000123' }));
      await until(async () => {
        await accounts().get('one');
        return (await payments.request(aRequestOfAnother())).tillNumber === '000123';
      });
    });

    it('go on with what was loaded before while the source fails, or returns what is wrong', async () => {
      const one = await open();
      shops.options.set('one', optionsOf(one));
      await start();
      const { payments } = await accounts().get('one');
      shops.options.set('one', { ...optionsOf(one), apiKeys: [], urlSecrets: [] });
      await expect(accounts().refresh('one')).rejects.toThrow(AccountUnavailableError);
      shops.failure = () => Promise.reject(new Error('the vault is sealed'));
      await expect(accounts().refresh('one')).rejects.toThrow(AccountUnavailableError);
      await succeeded('one', await payments.request(aRequest()));
    });
  });

  describe('added by the host', () => {
    const none = { source: undefined, imports: [] } as const;

    it('take payments beside an account that is declared at the start', async () => {
      const [own, one] = [await open(), await open()];
      await start(none as never, { declared: optionsOf(own, { tillNumber: '000123' }) });
      const added = await accounts().add('one', optionsOf(one));
      const payment = await added.payments.request(aRequest());
      await succeeded('one', payment);
      const declared = await accounts().get('default');
      await succeeded('default', await declared.payments.request(aRequest()));
      expect(accounts().names().toSorted()).toEqual(['default', 'one']);
    });

    it.each(PLATFORMS)(
      'have the prefix and version of the host in their URLs, on $platform',
      async (platform) => {
        const one = await open();
        await start(none as never, {
          platform,
          configure: (started) => started.setGlobalPrefix('api'),
        });
        const added = await accounts().add('one', optionsOf(one));
        const url = added.get(WebhookSubscriptionsService).webhookUrl();
        expect(url).toBe(`http://127.0.0.1:${port}/api/payments/accounts/one/webhooks`);
        await succeeded('one', await added.payments.request(aRequest()));
      },
    );

    it('are changed when they are added again', async () => {
      const one = await open();
      await start(none as never);
      const added = await accounts().add('one', optionsOf(one));
      await accounts().add('one', optionsOf(one, { tillNumber: '000123' }));
      expect((await added.payments.request(aRequest())).tillNumber).toBe('000123');
    });

    it('are refused with every wrong option by name, and nothing is left of them', async () => {
      const one = await open();
      await start(none as never);
      const wrong = { ...optionsOf(one), clientSecret: '', apiKeys: [] };
      const refused = accounts().add('one', wrong);
      await expect(refused).rejects.toThrow(PaymentsConfigurationError);
      await expect(refused).rejects.toThrow(
        /clientSecret of account "one"[^]*apiKeys of account "one"/,
      );
      await expect(accounts().get('one')).rejects.toThrow(AccountNotFoundError);
      expect((await post('one', one.apiKey)).status).toBe(401);
    });

    it('are refused with a till that another account has, and the others of the same moment are not', async () => {
      const one = await open();
      await start(none as never);
      await accounts().add('one', optionsOf(one));
      const [same, other] = await Promise.allSettled([
        accounts().add('two', { ...optionsOf(one), apiKeys: ['its-own-key'] }),
        accounts().add('three', {
          ...optionsOf(one, { tillNumber: '000123' }),
          apiKeys: ['another-key'],
        }),
      ]);
      expect(String((same as PromiseRejectedResult).reason)).toContain('both have till 514459');
      expect(other.status).toBe('fulfilled');
    });

    it('are refused with the name of an account that is declared at the start', async () => {
      const own = await open();
      await start(none as never, { declared: optionsOf(own) });
      await expect(accounts().add('default', optionsOf(own))).rejects.toThrow(
        /account "default" is declared at the start/,
      );
      expect(() => accounts().remove('default')).toThrow(/declared at the start/);
      // The deliveries of the default account have their own route.
      expect((await post('default', own.apiKey)).status).toBe(401);
    });

    it('are refused by an application without their routes, which names the import', async () => {
      const own = await open();
      await start(null, { declared: optionsOf(own) });
      await expect(accounts().add('one', optionsOf(own))).rejects.toThrow(
        /import PaymentsModule.forAccounts\(\)/,
      );
    });
  });

  describe('that are removed', () => {
    it('take no new request, and finish what is open before they are closed', async () => {
      const one = await open();
      shops.options.set('one', optionsOf(one));
      await start({
        reconciliation: QUICK,
        sending: { sendBeforeMs: 4_000 },
        keepRemovedMs: 0,
      });
      const account = await accounts().get('one');
      const request = aRequestFrom(HANDSET);
      const payment = await account.payments.request(request);
      accounts().remove('one');
      expect(account.isRemoved).toBe(true);
      await expect(account.payments.request(aRequest())).rejects.toThrow(AccountRemovedError);
      const { subscriber, amount } = aRequest();
      await expect(
        account.get(IncomingPaymentsService).create({ subscriber, amount }),
      ).rejects.toThrow(AccountRemovedError);
      expect(await account.payments.request(request)).toMatchObject({ id: payment.id });
      shops.options.delete('one');
      await approve(one);
      await succeeded('one', payment);
      expect(accounts().names()).toEqual(['one']);
      await until(() => accounts().names().length === 0);
      await expect(accounts().get('one')).rejects.toThrow(AccountNotFoundError);
    });

    it('are removed by the source, which returns them as removed', async () => {
      const one = await open();
      shops.options.set('one', optionsOf(one));
      await start();
      const account = await accounts().get('one');
      shops.options.set('one', { ...optionsOf(one), removed: true });
      await accounts().refresh('one');
      await expect(account.payments.request(aRequest())).rejects.toThrow(AccountRemovedError);
      shops.options.set('one', optionsOf(one));
      await accounts().refresh('one');
      await succeeded('one', await account.payments.request(aRequest()));
    });

    it('are removed by a source that does not have them any more, and keep their secrets until nothing is open', async () => {
      const one = await open();
      shops.options.set('one', optionsOf(one));
      await start();
      const account = await accounts().get('one');
      const payment = await account.payments.request(aRequestFrom(HANDSET));
      shops.options.delete('one');
      await accounts().refresh('one');
      await expect(account.payments.request(aRequest())).rejects.toThrow(AccountRemovedError);
      await approve(one);
      await succeeded('one', payment);
    });
  });
});
