import { Injectable, type INestApplication, type Type } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  getPaymentsToken,
  InjectPayments,
  MemoryStore,
  PaymentsModule,
  PaymentsService,
  TokensService,
  type PaymentsOptions,
} from '@tillkit/payments';
import type { PaymentsModuleExtras } from '@tillkit/payments/types';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { altered } from '../support/altered.store.js';
import { listeningAt } from '../support/application.js';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequest } from '../support/merchant.js';
import { freePort } from '../support/free.port.js';
import { PLATFORM } from '../support/platform.js';
import { until } from '../support/until.js';
import { RecordedEvents } from '../support/recorded-events.listener.js';

@Injectable()
class TwoShops {
  constructor(
    @InjectPayments('one') readonly one: PaymentsService,
    @InjectPayments('two') readonly two: PaymentsService,
  ) {}
}

@Injectable()
class Second {
  constructor(@InjectPayments('two') readonly payments: PaymentsService) {}
}

type AccountOptions = PaymentsOptions & PaymentsModuleExtras;

describe('Two accounts in one application', () => {
  let first: Simulator;
  let second: Simulator;
  let port: number;
  let app: INestApplication | null;

  beforeEach(async () => {
    first = await Simulator.start({ timings: INSTANT_TIMINGS });
    second = await Simulator.start({ timings: INSTANT_TIMINGS });
    port = await freePort();
    app = null;
  });

  afterEach(async () => {
    await Promise.all([app?.close(), first.stop(), second.stop()]);
  });

  const optionsOf = (account: string, simulator: Simulator): AccountOptions => ({
    account,
    path: `payments/${account}`,
    baseUrl: simulator.url,
    clientId: simulator.clientId,
    clientSecret: simulator.clientSecret,
    apiKeys: [simulator.apiKey],
    publicUrl: `http://127.0.0.1:${port}`,
    tillNumber: account === 'two' ? '000123' : '514459',
  });

  const start = async (
    one: Partial<AccountOptions> = {},
    two: Partial<AccountOptions> = {},
    providers: readonly Type[] = [TwoShops],
  ): Promise<INestApplication> => {
    const { account, path, ...late } = { ...optionsOf('two', second), ...two };
    app = await listeningAt(port, PLATFORM, {
      imports: [
        PaymentsModule.forRoot({ ...optionsOf('one', first), ...one }),
        // A factory gives its options later than those that stand beside it.
        PaymentsModule.forRootAsync({
          ...(account && { account }),
          ...(path && { path }),
          useFactory: () => new Promise((resolve) => setImmediate(resolve, late)),
        }),
      ],
      providers: [RecordedEvents, ...providers],
    });
    return app;
  };

  it('share no payment, no event and no token', async () => {
    const started = await start();
    const { one, two } = started.get(TwoShops);
    const received = started.get(RecordedEvents);

    const request = aRequest();
    const [mine, yours] = await Promise.all([one.request(request), two.request(request)]);
    expect(mine.id).not.toBe(yours.id);
    for (const payment of [mine, yours]) {
      await received.next(
        'payment.succeeded',
        (event) => event.payment.id === payment.id && event.account === payment.account,
      );
    }
    expect(await one.find(yours.id)).toBeNull();
    expect(first.charges()).toHaveLength(1);
    expect(second.charges()).toHaveLength(1);
    const tokens = ['one', 'two'].map((name) =>
      started.get<TokensService>(getPaymentsToken(name, TokensService)),
    );
    expect(await tokens[0]?.get()).not.toBe(await tokens[1]?.get());
    expect(received.named('payment.succeeded')).toHaveLength(2);
  });

  it('share one store and one claim for the work of both', async () => {
    const store = new MemoryStore();
    const named = new Set<string>();
    altered(store, {
      deliveries: {
        claim: (claim) => (accounts, kind, limit, leaseMs) => {
          named.add(JSON.stringify(accounts));
          return claim(accounts, kind, limit, leaseMs);
        },
      },
      operations: {
        claimDue: (claim) => (accounts, due) => {
          named.add(JSON.stringify(accounts));
          return claim(accounts, due);
        },
      },
    });
    const started = await start({ store });
    const { one, two } = started.get(TwoShops);
    const payments = [await one.request(aRequest()), await two.request(aRequest())];
    for (const { id } of payments) {
      await started
        .get(RecordedEvents)
        .next('payment.succeeded', ({ payment }) => payment.id === id);
    }
    expect([...named]).toEqual(['["one","two"]']);
    expect(await store.operations.find('two', payments[1]?.id as string)).not.toBeNull();
  });

  it('leave the work of an account without background work to other processes', async () => {
    const store = new MemoryStore();
    const named = new Set<string>();
    altered(store, {
      deliveries: {
        claim: (claim) => (accounts, kind, limit, leaseMs) => {
          named.add(JSON.stringify(accounts));
          return claim(accounts, kind, limit, leaseMs);
        },
      },
    });
    const started = await start({ store }, { background: false });
    const { one, two } = started.get(TwoShops);
    const { id } = await two.request(aRequest());
    await one.request(aRequest());
    await started.get(RecordedEvents).next('payment.succeeded');
    expect([...named]).toEqual(['["one"]']);
    expect(await two.find(id)).toMatchObject({ state: 'pending' });
  });

  it('are refused at the start when they have the same till, also by an alias', async () => {
    await expect(
      start({}, { tillNumber: 'K000123', tillAliases: { K000123: '514459' } }),
    ).rejects.toThrow(/accounts "two" and "one" both have till 514459/);
  });

  it('are refused at the start when they share an API key and one does not list its tills', async () => {
    await expect(start({}, { apiKeys: [first.apiKey], tills: ['000123'] })).rejects.toThrow(
      /share an API key.*"one" must list its tills/,
    );
  });

  it('each have the money at their own tills only, when they share an API key', async () => {
    const store = new MemoryStore();
    const started = await start(
      { tills: ['514459'], store },
      { apiKeys: [first.apiKey], tills: ['000123'] },
    );
    const body = webhookBody({ till_number: '514459', reference: 'OF-ONE' });
    for (const account of ['two', 'one']) {
      const url = `http://127.0.0.1:${port}/payments/${account}/webhooks`;
      expect(await deliverSigned(url, body, first.apiKey)).toMatchObject({ status: 200 });
      const done = { state: 'done' } as const;
      await until(
        async () => (await store.deliveries.list(account, done, { limit: 1 })).items.length > 0,
      );
    }
    const received = started.get(RecordedEvents);
    expect(await received.next('till.transaction.received')).toMatchObject({ account: 'one' });
    expect(received.named('till.transaction.received')).toHaveLength(1);
  });

  it('are never mixed up, because the class of a service gives the service of the default account', async () => {
    const started = await start({ account: 'default' }, {}, [Second]);
    expect(started.get(PaymentsService)).toBe(started.get(getPaymentsToken('default')));
    expect(started.get(PaymentsService)).not.toBe(started.get(Second).payments);
    const { account } = await started.get(PaymentsService).request(aRequest());
    expect(account).toBe('default');
    expect(first.charges()).toHaveLength(1);
    expect(second.charges()).toHaveLength(0);
  });

  it('have no service that a class names when both have a name', async () => {
    const started = await start();
    expect(() => started.get(PaymentsService)).toThrow(/PaymentsService/);
  });

  it('are refused at the start when they have the same name', async () => {
    await expect(start({}, { account: 'one', path: 'elsewhere' }, [])).rejects.toThrow(
      /account "one" is imported twice/,
    );
  });

  it('are refused at the start when they have the same path', async () => {
    await expect(start({}, { path: '/Payments/one/' })).rejects.toThrow(
      /accounts "one" and "two" both have the path/,
    );
  });

  it('are refused at the start when they have different stores', async () => {
    await expect(start({ store: new MemoryStore() }, { store: new MemoryStore() })).rejects.toThrow(
      /accounts "one" and "two" have different stores/,
    );
  });
});
