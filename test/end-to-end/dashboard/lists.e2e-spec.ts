import { once } from 'node:events';
import { get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { StoreUnavailableError } from '@tillkit/payments';
import { altered } from '../../support/altered.store.js';
import { captureLog, linksOf } from '../../support/dashboard.visitor.js';
import { deliverSigned, webhookBody } from '../../support/deliver.js';
import { aRequest } from '../../support/merchant.js';
import { formTo } from '../../support/page.form.js';
import { PLATFORMS } from '../../support/platforms.js';
import { until } from '../../support/until.js';
import { cellsOf, DashboardHost, listedIds, rowsOf, SECRET_DIGITS } from './dashboard.fixture.js';

const JANE = { firstName: 'Jane', lastName: 'Wanjiku', phoneNumber: '+254700000001' };
const MARY = { firstName: 'Mary', lastName: 'Janeway', phoneNumber: '+254700000001' };

const amount = (value: string) => ({ currency: 'KES', value });

describe('A list', () => {
  const host = new DashboardHost();
  let [jane, mary] = ['', ''];

  beforeEach(async () => {
    await host.open();
    jane = await host.paid({ idempotencyKey: 'INV-17', subscriber: JANE, amount: amount('1250') });
    mary = await host.paid({ idempotencyKey: 'INV-18', subscriber: MARY, amount: amount('99.50') });
  });

  const receiptOf = async (id: string): Promise<string> =>
    (await host.merchant.payments.find(id))!.transaction!.reference!;
  const pathOf = (location: string | null): string => location!.slice(host.dashboard.url.length);

  it.each([
    [
      'the end of a receipt in small letters',
      async () => (await receiptOf(jane)).slice(-5).toLowerCase(),
    ],
    ['the beginning of a receipt', async () => (await receiptOf(jane)).slice(0, 9)],
    ['the amount', async () => '1,250'],
    ['the amount with its currency and decimals', async () => 'KES 1250.00'],
    ['both names in any order and case', async () => 'wanjiku JANE'],
    ['the order number in small letters', async () => 'inv-17'],
  ])('finds a payment by %s', async (_, search) => {
    const { status, location } = await host.dashboard.post('/find', { words: await search() });
    expect({ status, path: pathOf(location) }).toEqual({ status: 303, path: `/payments/${jane}` });
  });

  it('shows all payments that a word fits, grouped by the fitting field, when there are several', async () => {
    const found = await host.dashboard.post('/find', { words: 'jane' });
    expect(found.status).toBe(200);
    expect(listedIds(found)).toEqual([mary, jane]);
    expect(found.text).toContain('By name');
    const byOrder = await host.dashboard.post('/find', { words: 'INV' });
    expect(byOrder.text).toContain('By order number');
    expect(listedIds(byOrder)).toEqual([mary, jane]);
  });

  it('finds payments by a whole receipt in any case, together with other filters', async () => {
    const path = `/payments?reference=${(await receiptOf(jane)).toLowerCase()}`;
    expect(listedIds(await host.dashboard.get(path))).toEqual([jane]);
    expect(listedIds(await host.dashboard.get(`${path}&amountTo=1000`))).toEqual([]);
  });

  it('puts no phone number into an address that was typed where an order number belongs', async () => {
    const log = captureLog();
    for (let n = 0; n < 6; n += 1) await host.paid({ idempotencyKey: `0700000001_${n}` });
    const found = await host.dashboard.post('/find', { words: '0700000001_' });
    expect(formTo(found.text, '/payments/search').fields).toEqual({ key: '0700000001_' });
    const pages = [found];
    for (const field of ['key', 'reference'])
      pages.push(await host.dashboard.post('/payments/search', { [field]: '0700000001_' }));
    for (const { status, location, text } of pages) {
      expect({ status, location }).toEqual({ status: 200, location: null });
      expect(linksOf(text).join(' ')).not.toContain('700000001');
    }
    expect(listedIds(pages[1]!)).toHaveLength(6);
    expect(log.filter(({ line }) => line.includes('searched payments by phone'))).toHaveLength(3);
  });

  it('keeps its filter in links that can be shared: each can be taken away, and the next page keeps it', async () => {
    const path = '/payments?state=succeeded&amountFrom=100&from=2020-01-01';
    const page = await host.dashboard.get(path);
    expect(listedIds(page)).toEqual([jane]);
    const links = linksOf(page.text).map((link) => link.replaceAll('&amp;', '&'));
    expect(links).toContain('./payments?state=succeeded&from=2020-01-01&zone=UTC');
    expect(links).toContain('./payments?state=succeeded&amountFrom=100');
    expect(links).toContain('./payments?amountFrom=100&from=2020-01-01&state=failed&zone=UTC');
    expect(links).toContain('./payments');
  });

  it.each([
    ['/payments?amountFrom=much', 'This is not an amount'],
    ['/payments?reason=none', 'There is no such entry'],
    ['/payments?from=soon', 'This is not a date'],
    ['/payments?state=rich', 'There is no such state'],
    ['/transactions?amountTo=-1', 'This is not an amount'],
    ['/payments?amountFrom=12,50', 'This is not an amount'],
    ['/deliveries?state=rich', 'There is no such state'],
  ])(
    'refuses the address %s, says what is wrong, and makes no file of it',
    async (path, problem) => {
      for (const at of [path, path.replace('?', '.csv?')]) {
        const { status, text } = await host.dashboard.get(at);
        expect({ at, status }).toEqual({ at, status: 400 });
        expect(text).toContain(problem);
      }
    },
  );

  it('names no person in an address: names and phone numbers are posted, also for the next page and the file', async () => {
    const log = captureLog();
    for (const [field, value] of [
      ['name', 'jane'],
      ['phone', '0700 000 001'],
    ] as const) {
      const fields = { [field]: value, amountFrom: '100' };
      const page = await host.dashboard.post('/payments/search', fields);
      expect(listedIds(page)).toEqual([jane]);
      const links = linksOf(page.text).join(' ');
      expect(links).not.toContain('jane');
      expect(links).not.toContain('00001');
      const file = await host.dashboard.post('/payments.csv', fields);
      expect(rowsOf(file.text).map(([id]) => id)).toEqual(['id', jane]);
    }
    expect(listedIds(await host.dashboard.get('/payments?name=nobody'))).toEqual([mary, jane]);
    expect(log.filter(({ line }) => line.includes('searched payments by phone'))).toHaveLength(2);
  });

  it('has a CSV file with the same filter, with amounts that a spreadsheet adds and masked phone numbers', async () => {
    const file = await host.dashboard.get('/payments.csv?key=inv&state=succeeded');
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(file.headers.get('content-disposition')).toMatch(
      /^attachment; filename="payments-\d{4}-\d{2}-\d{2}\.csv"$/,
    );
    expect(file.headers.get('cache-control')).toBe('no-store');
    const cells = cellsOf(file.text);
    expect(cells).toMatchObject([
      { id: mary, amount: '99.50', customer: 'Mary Janeway', orderNumber: 'INV-18' },
      { id: jane, amount: '1250.00', reference: await receiptOf(jane), source: 'callback' },
    ]);
    expect(file.text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
    const till = rowsOf((await host.dashboard.get('/transactions.csv?state=matched')).text);
    expect(till).toHaveLength(3);
    const deliveries = rowsOf((await host.dashboard.get('/deliveries.csv')).text);
    expect(deliveries.length).toBeGreaterThan(2);
  });

  it('has a CSV file whose texts are no formulas', async () => {
    const hostile = { ...JANE, firstName: '=cmd|calc', lastName: '@x' };
    await host.paid({ idempotencyKey: '+1', subscriber: hostile });
    const { text } = await host.dashboard.get('/payments.csv');
    expect(text).toContain(`"'=cmd|calc @x"`);
    expect(text).toContain(`"'+1"`);
  });

  it('of money at the tills shows what has no payment', async () => {
    const { webhookUrl, simulator, received } = host.merchant;
    await deliverSigned(webhookUrl, webhookBody({ reference: 'WALKED-IN' }), simulator.apiKey);
    await received.next('till.transaction.received');
    const { text } = await host.dashboard.get('/transactions?state=unmatched');
    expect(text).toContain('WALKED-IN');
    expect(text).not.toContain(await receiptOf(jane));
  });
});

describe.each(PLATFORMS)('The file of a list on $platform', (platform) => {
  const host = new DashboardHost(platform);

  beforeEach(() => host.open());

  it('breaks off when it cannot be completed, and a page when it cannot be begun', async () => {
    const { store } = host.merchant;
    let reads = 0;
    altered(store, {
      operations: {
        list: (original) => async (account, filter, page) => {
          reads += 1;
          if (reads > 1) throw new StoreUnavailableError('away');
          return { ...(await original(account, filter, page)), next: 'more' };
        },
      },
    });
    await expect(host.dashboard.get('/payments.csv')).rejects.toThrow('terminated');
    const { status, text } = await host.dashboard.get('/payments.csv');
    expect(status).toBe(503);
    expect(text).toContain('The store of payments is unavailable');
  });

  it('is read from the store no faster than it is taken', async () => {
    const { app, payments, store } = host.merchant;
    const { id } = await payments.request(aRequest());
    const payment = (await store.operations.find('default', id))!;
    // This is more than the buffers of a connection hold.
    const pages = 20;
    let reads = 0;
    // Pages that were read since the connection has last taken what it had.
    let ahead = 0;
    let mostAhead = 0;
    let response: ServerResponse | undefined;
    (app.getHttpServer() as Server).on('request', (_, answer: ServerResponse) => {
      response = answer.on('drain', () => (ahead = 0));
    });
    altered(store, {
      operations: {
        list:
          () =>
          async (_account, _filter, { limit }) => {
            reads += 1;
            ahead += 1;
            mostAhead = Math.max(mostAhead, ahead);
            const items = Array.from({ length: limit }, () => payment);
            return { items, next: reads < pages ? String(reads) : null };
          },
      },
    });
    const [file] = (await once(get(`${host.dashboard.url}/payments.csv`), 'response')) as [
      IncomingMessage,
    ];
    await until(() => response?.writableNeedDrain === true);
    file.resume();
    await once(file, 'end');
    expect(reads).toBe(pages);
    // One is sent, and the next one prepared.
    expect(mostAhead).toBeLessThanOrEqual(3);
  });
});
