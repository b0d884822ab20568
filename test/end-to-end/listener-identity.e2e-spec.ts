import { type Type, Logger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import {
  MemoryStore,
  OnPaymentEvent,
  type OnPaymentEventOptions,
  PaymentsModule,
  type PaymentsOptions,
  type PaymentsStore,
} from '@tillkit/payments';
import { PostgresStore } from '@tillkit/postgres';
import { commitTo, newEvent } from '../contracts/store-under-test.js';
import {
  freshDatabase,
  letTimePass,
  PATIENT,
  type TestDatabase,
} from '../contracts/test-database.js';

const EVENT = 'delivery.unrecognised';

/** The classes of an application: their names as a build has left them, and the options of their decorators. */
type Built = Record<string, OnPaymentEventOptions>;

/** Each class has the method `paid`. */
function classesOf(built: Built, received: string[]): Type[] {
  return Object.entries(built).map(([name, options]) => {
    class Listeners {
      @OnPaymentEvent(EVENT, options)
      paid(): void {
        received.push(name);
      }
    }
    Object.defineProperty(Listeners, 'name', { value: name });
    return Listeners;
  });
}

const SETTINGS: PaymentsOptions = {
  baseUrl: 'http://127.0.0.1:9',
  clientId: 'id',
  clientSecret: 'secret',
  publicUrl: 'http://127.0.0.1:3000',
  apiKeys: ['an-api-key-of-the-portal'],
  reconciliation: false,
  listeners: { retryScheduleMs: [3_600_000] },
};

describe.each(['memory', 'PostgreSQL'])('The ids of listeners, in a store in %s,', (kind) => {
  let database: TestDatabase | null = null;
  let store: PaymentsStore;
  let now = Date.now();
  let opened: TestingModule[] = [];
  let received: string[] = [];
  const warn = jest.fn();

  beforeAll(async () => {
    if (kind === 'PostgreSQL') database = await freshDatabase();
  });
  beforeEach(async () => {
    if (database) {
      await database.drop();
      database = await freshDatabase();
    }
    store = openStore() ?? new MemoryStore(() => now);
    received = [];
    warn.mockClear();
  });
  afterEach(async () => {
    for (const app of opened.splice(0)) await app.close();
    if (store instanceof PostgresStore) await store.close();
    Logger.overrideLogger(false);
  });
  afterAll(() => database?.drop());

  /** An application closes its own store. */
  const openStore = (): PostgresStore | null =>
    database && new PostgresStore({ ...PATIENT, connectionString: database.url, poolSize: 4 });
  const start = async (built: Built, options: PaymentsOptions = {}): Promise<TestingModule> => {
    const app = await Test.createTestingModule({
      imports: [PaymentsModule.forRoot({ ...SETTINGS, store: openStore() ?? store, ...options })],
      providers: classesOf(built, received),
    })
      .setLogger({ log: () => undefined, error: () => undefined, warn })
      .compile();
    opened.push(app);
    return app.init();
  };
  /** Starts an application that another build replaces. */
  const ran = async (built: Built, options: PaymentsOptions = {}): Promise<void> => {
    const app = await start(built, options);
    opened = opened.filter((other) => other !== app);
    await app.close();
  };
  const emit = (id: string): Promise<unknown> => {
    const subject = { account: 'default', stream: id, via: 'webhook' } as const;
    const events = [newEvent(EVENT, subject, { deliveryId: id, topic: null })];
    return commitTo(store, { account: 'default', events, history: [] });
  };
  const pass = async (ms: number): Promise<void> => {
    now += ms;
    if (database) await letTimePass(database.url, ms);
  };
  const waiting = async (id: string): Promise<string[]> => {
    const events = await store.events.list('default', id);
    return events.flatMap(({ calls }) =>
      calls.filter(({ state }) => state === 'pending').map(({ listener }) => listener),
    );
  };
  const registered = async (): Promise<string[]> =>
    (await store.events.registeredListeners(['default'])).map(({ listener }) => listener);
  const warnings = (): string[] => warn.mock.calls.map(([line]) => String(line));

  it('are those of a bundle after the same application without one: the start is refused, and nothing is registered', async () => {
    await ran({ Orders: {} });
    await emit('d1');
    await expect(start({ Orders2: {} })).rejects.toThrow(
      /Orders2\.paid of delivery\.unrecognised is new, and Orders\.paid.* \{ id: 'Orders\.paid' \}.* npx @tillkit\/cli listeners delete Orders\.paid/,
    );
    expect(await registered()).toEqual(['Orders.paid']);
    expect(await waiting('d1')).toEqual(['Orders.paid']);
    expect(received).toEqual([]);
  });

  it('stay the same with the id that the refusal names, so that waiting calls are made once', async () => {
    await ran({ Orders: {} });
    await emit('d1');
    await start({ Orders2: { id: 'Orders.paid' } });
    while ((await waiting('d1')).length > 0) await new Promise(setImmediate);
    expect(received).toEqual(['Orders2']);
  });

  it('may change when a person has deleted the old one, and the next start is like any other', async () => {
    await ran({ Orders: {} });
    await store.events.deleteListener('default', 'Orders.paid');
    await ran({ Orders2: {} });
    await ran({ Orders2: {} });
    expect(await registered()).toEqual(['Orders2.paid']);
  });

  it('are refused while the old build still runs, as in a rolling upgrade', async () => {
    await start({ Orders: {} });
    await expect(start({ Orders2: {} })).rejects.toThrow(/Orders2\.paid .* is new/);
  });

  it('may differ by a digit when people have named the classes so', async () => {
    await ran({ Orders2: {} });
    await ran({ Orders2: {}, PaymentsV1: {}, PaymentsV2: {} });
    await ran({ PaymentsV2: {} });
    expect(warnings().filter((line) => line.includes('is new'))).toEqual([]);
  });

  it('are refused when a class has another name and the other listeners are the same', async () => {
    await ran({ Orders: {}, Mails: {} });
    await expect(start({ Shop: {}, Mails: {} })).rejects.toThrow(
      /Shop\.paid .* is new, and Orders\.paid,.* last registered by this application/,
    );
    await start({ Shop: { id: 'Orders.paid' }, Mails: {} });
  });

  it('are those of two applications on one store, which start in any order while the other one runs, and while it does not', async () => {
    await ran({ Orders: {} });
    await ran({ Mails: {} });
    expect(warnings().filter((line) => line.startsWith('the listener Mails.paid'))).toEqual([
      expect.stringMatching(/is new, and Orders\.paid, .*If another application has it/),
    ]);
    warn.mockClear();
    await start({ Orders: {} });
    await ran({ Mails: {} });
    await start({ Mails: {}, News: {} });
    await ran({ Orders: {}, Refunds: {} });
    expect(warnings().filter((line) => line.includes('is new'))).toEqual([]);
  });

  it('are refused when no listener of the application is known, and calls wait for one with the same method that no process has', async () => {
    await ran({ Orders: {} });
    await emit('d1');
    await pass(11 * 60_000);
    await expect(start({ Shop: {} })).rejects.toThrow(/Shop\.paid .* is new, and Orders\.paid/);
  });

  it('for which calls wait and that no process has are named at once when an application starts, with the id that differs least', async () => {
    await ran({ Orders: {} });
    await emit('d1');
    await start({ Orders2: { id: 'shop.orders.paid' }, Mails: { id: 'shop.mails.paid' } });
    expect(warnings().filter((line) => line.includes('wait for'))).toEqual([
      expect.stringMatching(
        /^1 events wait for the listener Orders\.paid, .*if shop\.orders\.paid is the same listener, write \{ id: 'Orders\.paid' \}/,
      ),
    ]);
    expect(await waiting('d1')).toEqual(['Orders.paid']);
  });

  it('are compared in the account whose events the listeners receive', async () => {
    await ran({ Orders: { account: 'default' } });
    await ran({ Orders2: { account: 'shop' }, Orders: { account: 'default' } });
    await expect(start({ Orders2: { account: 'default' } })).rejects.toThrow(/Orders2\.paid/);
    await start({ Orders2: { account: 'shop' } });
  });
});
