import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  AccountNotFoundError,
  IncomingPaymentsService,
  MemoryStore,
  PaymentsAccounts,
  PaymentsModule,
  PaymentsService,
  PayoutsService,
  SendingPausedError,
  StoreUnavailableError,
  WebhookSubscriptionsService,
  type PaymentsOptions,
} from '@tillkit/payments';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { altered } from '../support/altered.store.js';
import { listeningAt } from '../support/application.js';
import { aPayout, aRequest, aRequestOfAnother, aRequestFrom } from '../support/merchant.js';
import { freePort } from '../support/free.port.js';
import { PLATFORM } from '../support/platform.js';
import { RecordedEvents } from '../support/recorded-events.listener.js';
import { requestsTo } from '../support/platform.requests.js';
import { until } from '../support/until.js';

/** A customer who answers the prompt only when the test says so. */
const HANDSET = '+254700000014';

const JANE = { by: 'jane@shop.example', note: 'the till was moved' };
const PETER = { by: 'peter@shop.example', note: 'it is back' };

describe('Two replicas of an application', () => {
  let simulator: Simulator;
  let store: MemoryStore;
  let one: INestApplication;
  let other: INestApplication;

  const optionsOf = (merchant: string): PaymentsOptions => {
    const { clientId, clientSecret, apiKey, tillNumbers } = simulator.merchants.get(merchant);
    return {
      baseUrl: simulator.url,
      clientId,
      clientSecret,
      apiKeys: [apiKey],
      tillNumber: tillNumbers[0] as string,
      store,
    };
  };

  const start = async (options: Partial<PaymentsOptions> = {}): Promise<INestApplication> => {
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    return listeningAt(port, PLATFORM, {
      imports: [
        PaymentsModule.forRoot({ ...optionsOf('one'), publicUrl, ...options }),
        PaymentsModule.forRoot({
          ...optionsOf('two'),
          account: 'second',
          path: 'second',
          publicUrl,
          ...options,
        }),
      ],
      providers: [RecordedEvents],
    });
  };

  const bothStart = async (options: Partial<PaymentsOptions> = {}): Promise<void> => {
    one = await start(options);
    other = await start(options);
  };

  const accountsOf = (app: INestApplication): PaymentsAccounts => app.get(PaymentsAccounts);
  const paymentsOf = (app: INestApplication): PaymentsService => app.get(PaymentsService);
  const creates = (): { at: string }[] =>
    requestsTo(simulator, '/incoming_payments', { method: 'POST' });

  beforeEach(async () => {
    simulator = await Simulator.start({
      timings: INSTANT_TIMINGS,
      seed: 1,
      merchants: [
        { name: 'one', tillNumbers: ['514459'] },
        { name: 'two', tillNumbers: ['000123'] },
      ],
    });
    store = new MemoryStore();
  });

  afterEach(async () => {
    await Promise.all([one.close(), other.close(), simulator.stop()]);
  });

  it('send nothing for an account that one of them has paused, and say who and why', async () => {
    await bothStart();
    expect(await accountsOf(one).pause({ account: 'default', ...JANE })).toBe(true);
    expect(await accountsOf(other).pause({ account: 'default', ...JANE })).toBe(false);
    for (const app of [one, other]) {
      const refused = paymentsOf(app).request(aRequest());
      await expect(refused).rejects.toThrow(SendingPausedError);
      await expect(refused).rejects.toMatchObject({
        code: 'PAYMENTS_SENDING_PAUSED',
        message: expect.stringMatching(
          /account "default" by jane@shop.example \(the till was moved\)/,
        ),
        ...JANE,
      });
    }
    expect(creates()).toHaveLength(0);
    const second = await accountsOf(other).get('second');
    expect((await second.payments.request(aRequest())).state).toBe('pending');
  });

  it('send again as soon as one of them has resumed the account, with the same key', async () => {
    await bothStart();
    await accountsOf(one).pause({ account: 'default', ...JANE });
    const request = aRequest();
    await expect(paymentsOf(other).request(request)).rejects.toThrow(SendingPausedError);
    expect(await accountsOf(other).resume({ account: 'default', ...PETER })).toBe(true);
    expect((await paymentsOf(one).request(request)).state).toBe('pending');
    expect(creates()).toHaveLength(1);
    expect(await accountsOf(one).pauseHistory('default')).toMatchObject([
      { account: 'default', what: 'resumed', ...PETER },
      { account: 'default', what: 'paused', ...JANE },
    ]);
  });

  it('send nothing for any account while all are paused', async () => {
    await bothStart();
    await accountsOf(one).pause(JANE);
    for (const name of ['default', 'second']) {
      const { payments } = await accountsOf(other).get(name);
      await expect(payments.request(aRequest())).rejects.toThrow(/paused for all accounts/);
    }
    expect(await accountsOf(other).pauses()).toMatchObject([{ account: null, ...JANE }]);
    await accountsOf(other).resume(PETER);
    expect(await accountsOf(one).pauses()).toEqual([]);
    expect((await paymentsOf(one).request(aRequest())).state).toBe('pending');
  });

  it('settle what was sent before the pause, and return it for its key', async () => {
    await bothStart();
    const request = aRequestFrom(HANDSET);
    const payment = await paymentsOf(one).request(request);
    await accountsOf(other).pause(JANE);
    expect(await paymentsOf(other).request(request)).toMatchObject({ id: payment.id });
    await until(() => simulator.handset(HANDSET).prompts().length > 0);
    simulator.handset(HANDSET).approve();
    expect((await paymentsOf(one).settled(payment.id)).state).toBe('succeeded');
  });

  it('refuse payouts, their approval and bare requests of money during a pause, and nothing else', async () => {
    await bothStart({ payouts: { limits: { KES: { approveFrom: '0' } } } });
    const payouts = one.get(PayoutsService);
    const waiting = await payouts.request(aPayout({ requestedBy: 'jane' }));
    await accountsOf(other).pause(JANE);
    await expect(payouts.request(aPayout({ requestedBy: 'jane' }))).rejects.toThrow(
      SendingPausedError,
    );
    await expect(payouts.approve(waiting.id, { by: 'peter' })).rejects.toThrow(SendingPausedError);
    const { subscriber, amount } = aRequest();
    await expect(one.get(IncomingPaymentsService).create({ subscriber, amount })).rejects.toThrow(
      SendingPausedError,
    );
    const subscription = { eventType: 'buygoods_transaction_received', scope: 'company' } as const;
    expect((await one.get(WebhookSubscriptionsService).create(subscription)).id).toBeTruthy();
    await accountsOf(one).resume(PETER);
    expect((await payouts.approve(waiting.id, { by: 'peter' })).state).toBe('pending');
  });

  it('refuse a pause without a person, a reason or an account that exists', async () => {
    await bothStart();
    await expect(accountsOf(one).pause({ by: '', note: 'why' })).rejects.toThrow(/by/);
    await expect(accountsOf(one).pause({ by: 'jane', note: ' ' })).rejects.toThrow(/note/);
    await expect(accountsOf(one).pause({ account: 'nobody', ...JANE })).rejects.toThrow(
      AccountNotFoundError,
    );
    await expect(accountsOf(one).pause({ account: 'no name!', ...JANE })).rejects.toThrow(
      /account must be the name of an account/,
    );
  });

  it('send no bare request after a pause that waits because the platform asked it to', async () => {
    await bothStart();
    const { subscriber, amount } = aRequest();
    const create = (): Promise<unknown> =>
      one.get(IncomingPaymentsService).create({ subscriber, amount });
    await create();
    simulator.faults.once('create-429', { merchant: 'one' }, { retryAfter: 5 });
    const before = creates().length;
    const waiting = create().catch((error: unknown) => error);
    await until(() => creates().length > before);
    await accountsOf(other).pause({ account: 'default', ...JANE });
    expect(await waiting).toBeInstanceOf(SendingPausedError);
    expect(creates()).toHaveLength(before + 1);
  });

  it('fail a payment that the platform has not processed, when the store cannot say whether it may be sent again', async () => {
    await bothStart({ sending: { sendBeforeMs: 8_000 } });
    await paymentsOf(one).request(aRequestOfAnother());
    simulator.faults.once('create-429', { merchant: 'one' }, { retryAfter: 1 });
    altered(store, {
      pauses: {
        current: () => () => Promise.reject(new StoreUnavailableError('no connection')),
      },
    });
    const before = creates().length;
    const payment = await paymentsOf(one).request(aRequestOfAnother());
    expect(payment).toMatchObject({ state: 'failed', reason: 'not_sent' });
    expect(creates()).toHaveLength(before + 1);
  });

  it('show who paused and why on one line of an error', async () => {
    await bothStart();
    await accountsOf(one).pause({ by: 'jane\n2026 fatal', note: 'a\r\nrestore' });
    await expect(paymentsOf(one).request(aRequest())).rejects.toThrow(
      /by jane 2026 fatal \(a restore\)/,
    );
  });
});
