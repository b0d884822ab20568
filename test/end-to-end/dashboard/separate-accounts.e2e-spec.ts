import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresStore } from '@tillkit/postgres';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import {
  aDelivery,
  anEvent,
  aPayment,
  aSum,
  aTransaction,
  changed,
  claimCalls,
  commitEvents,
  commitTo,
  listen,
  LISTENER,
  recorded,
  transactionChange,
} from '../../contracts/store-under-test.js';
import { freshDatabase, PATIENT, type TestDatabase } from '../../contracts/test-database.js';
import type { TotalChange } from '@tillkit/payments/internal/store';
import { captureLog, DashboardVisitor, type Shown } from '../../support/dashboard.visitor.js';
import { ALL_PATH, ManyShops } from './all-accounts.fixture.js';

const PHONE = '+254700000001';
const REFERENCE = 'SAMEREF1';
const ACCOUNTS = ['one', 'two'] as const;
type Account = (typeof ACCOUNTS)[number];

/** A word that is only in the data of one account. */
const MARKS: Readonly<Record<Account, string>> = { one: 'Wanjiru', two: 'Otieno' };
const AMOUNTS: Readonly<Record<Account, string>> = { one: '1111.00', two: '2222.00' };

/** Addresses below the path of an account, and whether the page shows its mark. */
const PAGES: readonly (readonly [string, boolean])[] = [
  ['/payments', true],
  ['/payments?key=key-1', true],
  [`/payments?reference=${REFERENCE}`, true],
  ['/payments?platformId=platform-1', true],
  ['/payments/payment-1', true],
  ['/payments/payment-1/phone', true],
  ['/payments/payment-2', true],
  ['/transactions', true],
  [`/transactions?reference=${REFERENCE}`, true],
  [`/transaction?till=514459&reference=${REFERENCE}`, true],
  ['/deliveries', true],
  ['/deliveries?state=unrecognised', true],
  ['/deliveries/delivery-1', true],
  ['/deliveries/delivery-1/body', true],
  ['/dead-letters', true],
  ['/anomalies', true],
  ['/refunds/new?payment=payment-1', true],
  ['/payouts', false],
  ['/refunds', false],
  ['/payment-links', false],
  ['/sending', false],
  ['/overview', false],
  ['/statistics.json?period=7d', false],
  ['/totals?period=7d', false],
  ['/totals.csv?period=7d', false],
  ['/statement', false],
  ['/statement.csv', false],
  ['/payments.csv', true],
  ['/transactions.csv', true],
  ['/deliveries.csv', false],
  ['/reconciliation', false],
  ['/find', false],
  ['/none', false],
];

// The store that has the rows of all accounts in the same tables.
describe('Two accounts with the same ids, keys, references and phone', () => {
  const host = new ManyShops();
  let database: TestDatabase;
  let store: PostgresStore;
  let simulators: Readonly<Record<Account, Simulator>>;

  beforeAll(async () => {
    const [one, two] = await Promise.all(
      ACCOUNTS.map((_, seed) => Simulator.start({ timings: INSTANT_TIMINGS, seed })),
    );
    simulators = { one: one!, two: two! };
  });

  afterAll(() => Promise.all(ACCOUNTS.map((account) => simulators[account].stop())));

  beforeEach(async () => {
    database = await freshDatabase();
    store = new PostgresStore({ ...PATIENT, connectionString: database.url });
    host.prepare(store);
    for (const account of ACCOUNTS) {
      const { url, clientId, clientSecret, apiKey } = simulators[account];
      const tillNumber = account === 'one' ? '514459' : '000123';
      const own = { baseUrl: url, clientId, clientSecret, apiKeys: [apiKey], tillNumber };
      host.shops.add(account, own);
      await fill(account);
    }
    await host.start();
  });

  afterEach(async () => {
    await host.app.close();
    await store.close();
    await database.drop();
  });

  async function fill(account: Account): Promise<void> {
    const mark = MARKS[account];
    const value = AMOUNTS[account];
    const payment = (n: number) =>
      aPayment(account, {
        id: `payment-${n}`,
        idempotencyKey: `key-${n}`,
        subscriber: { firstName: mark, lastName: 'Doe', phoneNumber: PHONE },
        amount: { currency: 'KES', value },
        amountMinor: `${Number.parseInt(value, 10)}00`,
        metadata: { shop: mark },
        guard: { keys: [] },
      });
    const transaction = aTransaction({
      reference: REFERENCE,
      amount: value,
      senderFirstName: mark,
      senderPhoneNumber: PHONE,
    });
    await changed(store, await recorded(store, payment(1)), {
      state: 'succeeded',
      platformId: 'platform-1',
      transaction,
    });
    await changed(store, await recorded(store, payment(2)), {
      state: 'needs_review',
      causeDetail: mark,
    });
    if (account === 'two') {
      const failed = await recorded(store, payment(3));
      await changed(store, failed, { state: 'failed', reason: 'cancelled', errors: [mark] });
    }
    const sum = aSum({ received: transaction, originatedAt: new Date(), paymentId: 'payment-1' });
    const counted = (name: string, minor: string): TotalChange => ({
      measure: 'state',
      kind: 'payment',
      name,
      till: '',
      currency: 'KES',
      count: 1,
      minor,
      at: null,
    });
    const change = transactionChange(account, REFERENCE, null, [sum]);
    const totals = [
      counted('succeeded', payment(1).amountMinor),
      ...(account === 'two' ? [counted('failed', payment(1).amountMinor)] : []),
    ];
    await commitTo(store, { ...change, transaction: { ...change.transaction!, totals } });
    await listen(store, account);
    await commitEvents(store, account, anEvent(account, 'payment-1'));
    const [call] = await claimCalls(store, account, [LISTENER], 1, 60_000);
    await store.events.finishCall(call!, { kind: 'given_up', error: mark });
    const delivery = aDelivery(account, {
      id: 'delivery-1',
      key: 'ab'.repeat(32),
      body: Buffer.from(`{"shop":"${mark}"}`),
    });
    const { claimed } = await store.deliveries.store(delivery, 60_000);
    await store.deliveries.finish(
      { ...claimed!, account, id: delivery.id },
      { kind: 'given_up', error: mark },
    );
    await store.anomalies.record(account, 'strange', mark);
  }

  const visitorOf = (account: Account): DashboardVisitor =>
    new DashboardVisitor(`${host.url}${ALL_PATH}/accounts/${account}`);

  function expectOnly(account: Account, shown: Shown, what: string): void {
    const other = account === 'one' ? 'two' : 'one';
    const { text } = shown;
    expect({ what, hasOther: text.includes(MARKS[other]) }).toEqual({ what, hasOther: false });
    expect(text).not.toContain(`accounts/${other}`);
    expect(text).not.toMatch(account === 'one' ? /\b2,?222\b/ : /\b1,?111\b/);
  }

  it('are separate on every page', async () => {
    for (const [path, hasMark] of PAGES)
      for (const account of ACCOUNTS) {
        const shown = await visitorOf(account).get(path);
        if (hasMark) expect(shown.text).toContain(MARKS[account]);
        expectOnly(account, shown, path);
        if (shown.location) expect(shown.location).toContain(`/accounts/${account}/`);
      }
  });

  it('are counted each alone, on the overview, in its charts and on the start page', async () => {
    for (const [account, all] of [
      ['one', 2],
      ['two', 3],
    ] as const) {
      const { text } = await visitorOf(account).get('/statistics.json?period=7d');
      const { figures } = JSON.parse(text) as {
        figures: { name: string; series: { values: number[] }[] }[];
      };
      const volume = figures.find(({ name }) => name === 'volume')!.series[0]!;
      expect(volume.values.reduce((sum, value) => sum + value, 0)).toBe(Number(AMOUNTS[account]));
      for (const path of ['/overview?period=7d', '/totals?period=7d', '/totals.csv?period=7d']) {
        const page = await visitorOf(account).get(path);
        expect(page.text.replaceAll(',', '')).toContain(AMOUNTS[account]);
      }
      const page = await visitorOf(account).get('/overview?period=7d');
      expect(page.text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')).toContain(`Payments ${all} `);
    }
  });

  it.each<[string, Record<string, string>]>([
    ['/find', { words: PHONE }],
    ['/find', { words: 'key-1' }],
    ['/find', { words: 'payment-1' }],
    ['/find', { words: REFERENCE }],
    ['/payments/search', { phone: PHONE }],
    ['/payments/payment-1/phone', {}],
    ['/deliveries/delivery-1/body', {}],
    ['/transaction/phone', { till: '514459', reference: REFERENCE }],
    ['/dead-letters/replay', { which: 'all' }],
    ['/deliveries/delivery-1/replay', {}],
    ['/sending', { what: 'pause', note: 'a reason' }],
    ['/operations/payment-2/review', { state: 'failed', note: 'statement' }],
    ['/operations/payment-1/note', { note: 'called' }],
  ])('are separate at POST %s with %j', async (path, fields) => {
    for (const account of ACCOUNTS) {
      const visitor = visitorOf(account);
      const sent = await visitor.post(path, fields);
      expectOnly(account, sent, path);
      if (sent.location === null) expect(sent.text).toContain(MARKS[account]);
      else {
        expect(sent.location.startsWith(visitor.url)).toBe(true);
        expectOnly(account, await visitor.get(sent.location.slice(visitor.url.length)), path);
      }
    }
  });

  it('have reviews, replays and reprocessing that change one account only', async () => {
    const log = captureLog();
    const one = visitorOf('one');
    await one.post('/operations/payment-2/review', { state: 'failed', note: 'statement' });
    await one.post('/deliveries/delivery-1/replay');
    await one.post('/dead-letters/replay', { which: 'all' });
    expect((await store.operations.find('one', 'payment-2'))?.state).toBe('failed');
    expect((await store.operations.find('two', 'payment-2'))?.state).toBe('needs_review');
    expect((await store.deliveries.find('one', 'delivery-1'))?.state).toBe('pending');
    expect((await store.deliveries.find('two', 'delivery-1'))?.state).toBe('unrecognised');
    expect((await store.events.listDeadLetters('one', {}, { limit: 10 })).items).toEqual([]);
    const [letter] = (await store.events.listDeadLetters('two', {}, { limit: 10 })).items;
    const replayed = await one.post('/dead-letters/replay', { id: letter!.id });
    expect(replayed.location).toContain('notice=no-dead-letter');
    expect((await store.events.listDeadLetters('two', {}, { limit: 10 })).items).toHaveLength(1);
    expect(log.every(({ line }) => line.startsWith('dashboard of account one: '))).toBe(true);
  });

  it('show no payment of the other one, and decide none', async () => {
    const one = visitorOf('one');
    expect((await one.get('/payments/payment-3')).status).toBe(404);
    expect((await one.post('/payments/payment-3/phone')).status).toBe(404);
    expect(
      (await one.post('/operations/payment-3/review', { state: 'succeeded', note: 'x' })).status,
    ).toBe(404);
    expect((await one.post('/operations/payment-3/note', { note: 'x' })).status).toBe(404);
    expect((await one.get('/refunds/new?payment=payment-3')).status).toBe(404);
    expect((await visitorOf('two').get('/payments/payment-3')).status).toBe(200);
  });

  it('are compared with their own platform, at the same time, and have a CSV file each', async () => {
    const field = (ms: number): string => new Date(Date.now() + ms).toISOString().slice(0, 16);
    const window = { from: field(-3_600_000), to: field(120_000) };
    await Promise.all(
      ACCOUNTS.map((account, n) =>
        simulators[account].payTill({
          tillNumber: account === 'one' ? '514459' : '000123',
          phoneNumber: PHONE,
          amount: 11 + n,
          silent: true,
          reference: `THERE${n}`,
        }),
      ),
    );
    const reports = await Promise.all(
      ACCOUNTS.map((account) => visitorOf(account).post('/reconciliation', window)),
    );
    for (const [n, account] of ACCOUNTS.entries()) {
      const shown = reports[n] as Shown;
      expect(shown.status).toBe(200);
      expectOnly(account, shown, 'reconciliation');
      expect(shown.text).toMatch(new RegExp(`download="reconciliation-${account}-[\\d-]+\\.csv"`));
      const [, file] = /href="data:text\/csv;charset=utf-8,([^"]+)"/.exec(shown.text)!;
      const csv = decodeURIComponent(file!.replaceAll('&#39;', "'"));
      expect(csv).toContain(`"THERE${n}"`);
      expect(csv).not.toContain(`"THERE${1 - n}"`);
    }
  });

  it('share the style sheet and scripts, which have nothing of any account', async () => {
    for (const name of ['dashboard.css', 'charts.js', 'favicon.svg']) {
      const shown = await host.dashboard.get(`/assets/${name}`);
      expect(shown.status).toBe(200);
      for (const account of ACCOUNTS) expectOnly(account, shown, name);
      expect((await visitorOf('one').get(`/assets/${name}`)).status).toBe(404);
    }
  });
});
