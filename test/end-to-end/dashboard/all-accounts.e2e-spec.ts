import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DashboardConfigurationError, PaymentsDashboardModule } from '@tillkit/dashboard';
import { MOST_COUNTED } from '@tillkit/payments/internal/store';
import { VersioningType, type INestApplication } from '@nestjs/common';
import {
  aDelivery,
  anEvent,
  aPayment,
  changed,
  claimCalls,
  commitEvents,
  listen,
  LISTENER,
  recorded,
  times,
} from '../../contracts/store-under-test.js';
import { followLinks, captureLog, linksOf, type Shown } from '../../support/dashboard.visitor.js';
import { PLATFORMS } from '../../support/platforms.js';
import { ALL_PATH, ManyShops } from './all-accounts.fixture.js';

const UNGUARDED = 'anyone may see every payment';

/** Returns the accounts in the list of the start page. */
function listed({ text }: Shown): string[] {
  return [...text.matchAll(/<a class="mono" href="[^"]*accounts\/([\w-]+)\/overview"/g)].map(
    ([, name]) => name as string,
  );
}

/** Returns the words of a row of the list. */
function rowOf({ text }: Shown, account: string): string {
  const rows = text.split(/<\/?tr>/);
  const row = rows.find((one) => one.includes(`accounts/${account}/overview`)) ?? '';
  return row
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

describe('The start page of a dashboard of all accounts', () => {
  const host = new ManyShops();

  it('lists the accounts that the store has seen, by name, and loads none of them', async () => {
    host.prepare();
    await host.store.accounts.noteStarts(['zebra', 'Apple', 'mango']);
    await host.start();
    const shown = await host.dashboard.get('/accounts');
    expect(shown.status).toBe(200);
    expect(listed(shown)).toEqual(['Apple', 'mango', 'zebra']);
    expect(host.shops.loads).toEqual([]);
    expect((await host.dashboard.get('')).location).toBe(`${host.url}${ALL_PATH}/accounts`);
  });

  it('says which accounts are paused, and whether all are', async () => {
    host.prepare();
    await host.store.accounts.noteStarts(['apple', 'mango']);
    await host.start();
    await host.store.pauses.pause('mango', 'jane', 'the till was moved');
    const shown = await host.dashboard.get('/accounts');
    expect([rowOf(shown, 'apple'), rowOf(shown, 'mango')]).toEqual([
      'apple 0 0 0 0',
      'mango paused 0 0 0 0',
    ]);
    expect(shown.text).not.toContain('paused for all');
    await host.store.pauses.pause(null, 'jane', 'a restore');
    expect((await host.dashboard.get('/accounts')).text).toContain('paused for all accounts');
  });

  it('finds accounts by the beginning of their names, at an address that can be shared', async () => {
    host.prepare();
    await host.store.accounts.noteStarts(['shop-1', 'shop-10', 'shop-2', 'my-shop-1']);
    await host.start();
    const found = await host.dashboard.get('/accounts?beginsWith=shop-1');
    expect(listed(found)).toEqual(['shop-1', 'shop-10']);
    expect(found.text).toContain('value="shop-1"');
  });

  it('has pages of fifty accounts, each of which shows the next ones', async () => {
    host.prepare();
    const names = times(120, (n) => `shop-${String(n).padStart(3, '0')}`);
    await host.store.accounts.noteStarts([...names, 'other']);
    await host.start();
    const seen: string[] = [];
    for (let path: string | undefined = '/accounts?beginsWith=shop-'; path !== undefined;) {
      const shown = await host.dashboard.get(path);
      const page = listed(shown);
      expect(page.length).toBeLessThanOrEqual(50);
      seen.push(...page);
      const next = linksOf(shown.text).findLast((link) => link.includes('after='));
      path = next && `/accounts?${next.split('?')[1]}`;
    }
    expect(seen).toEqual(names);
    expect((await host.dashboard.get('/accounts?after=zzz')).text).toContain('There are no more');
  });

  it('shows what needs attention in each account, in one statement', async () => {
    const { store } = host.prepare();
    await store.accounts.noteStarts(['busy', 'quiet']);
    await changed(
      store,
      await recorded(store, aPayment('busy')),
      { state: 'pending' },
      { dueInMs: 60_000 },
    );
    for (const payment of [aPayment('busy'), aPayment('busy')])
      await changed(store, await recorded(store, payment), { state: 'needs_review' });
    await listen(store, 'busy');
    await commitEvents(
      store,
      'busy',
      ...times(MOST_COUNTED + 1, (n) => anEvent('busy', String(n))),
    );
    for (const call of await claimCalls(store, 'busy', [LISTENER], 200, 60_000))
      await store.events.finishCall(call, { kind: 'given_up', error: 'no' });
    const delivery = aDelivery('busy');
    const { claimed } = await store.deliveries.store(delivery, 60_000);
    await store.deliveries.finish(
      { ...claimed!, account: 'busy', id: delivery.id },
      { kind: 'given_up', error: 'strange' },
    );
    let statements = 0;
    const { attention } = store.accounts;
    store.accounts.attention = (names) => {
      statements += 1;
      return attention.call(store.accounts, names);
    };
    await host.start();
    const shown = await host.dashboard.get('/accounts');
    expect(rowOf(shown, 'busy')).toBe('busy 2 100+ 1 1');
    expect(rowOf(shown, 'quiet')).toBe('quiet 0 0 0 0');
    expect(statements).toBe(1);
    const links = linksOf(shown.text);
    expect(links).toContain('./accounts/busy/dead-letters');
    expect(links).toContain('./accounts/busy/deliveries?state=unrecognised');
  });

  it('marks accounts that were removed', async () => {
    const { store } = host.prepare();
    host.shops.add('gone').add('here');
    // The account stays as long as something of it is open.
    const open = await recorded(store, aPayment('gone'));
    await changed(store, open, { state: 'pending' }, { dueInMs: 3_600_000 });
    await host.start();
    await host.accounts.get('here');
    await host.accounts.get('gone');
    host.accounts.remove('gone');
    const shown = await host.dashboard.get('/accounts');
    expect(rowOf(shown, 'gone')).toMatch(/^gone removed /);
    expect(rowOf(shown, 'here')).not.toContain('removed');
    expect((await host.dashboard.get('/accounts/gone/payments')).text).toContain('gone (removed)');
  });

  it('offers to open an account that nobody has used yet', async () => {
    host.prepare().shops.add('brand-new');
    await host.start();
    const { text } = await host.dashboard.get('/accounts?beginsWith=brand-new');
    expect(text).toContain('No account that was used has a name that begins with brand-new');
    expect(linksOf(text)).toContain('./accounts/brand-new/overview');
    expect((await host.dashboard.get('/accounts/brand-new/overview')).status).toBe(200);
    expect(listed(await host.dashboard.get('/accounts'))).toEqual(['brand-new']);
  });

  it('says that the store is unavailable', async () => {
    host.prepare();
    await host.start();
    const { StoreUnavailableError } = await import('@tillkit/payments');
    host.store.accounts.list = () => Promise.reject(new StoreUnavailableError('no connection'));
    const { status, headers, text } = await host.dashboard.get('/accounts');
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('10');
    expect(text).toContain('The store of payments is unavailable');
  });
});

describe('A dashboard of all accounts before any was used', () => {
  const host = new ManyShops({ closes: afterAll });

  beforeAll(async () => {
    host.prepare();
    await host.start();
  });

  it('says on its start page that there is none', async () => {
    expect((await host.dashboard.get('/accounts')).text).toContain('No account was used yet.');
  });

  it.each([
    ['/accounts?beginsWith=%25', 'letters, digits'],
    [`/accounts?beginsWith=${'x'.repeat(65)}`, 'letters, digits'],
    ['/accounts?beginsWith=%3Cscript%3E', 'The search did not run'],
    ['/accounts?after=%00', 'There is no such page of the list'],
  ])('refuses %s and says why', async (path, why) => {
    const { status, text } = await host.dashboard.get(path);
    expect(status).toBe(400);
    expect(text).toContain(why);
    expect(text).not.toContain('<script>');
  });

  it.each(['', '/overview', '/payments/1', '/no/such/page', '/statistics.json'])(
    'answers 404 for the page %s of an account that does not exist',
    async (path) => {
      const { status, text } = await host.dashboard.get(`/accounts/nobody${path}`);
      expect(status).toBe(404);
      expect(text).toContain('There is no such account');
      expect(linksOf(text)).not.toContain('nobody');
    },
  );

  it.each(['%00', 'a%20b', '..%2f..', 'x'.repeat(65), '%3Cscript%3E'])(
    'does not ask the host for an account with the name %s, which none can have',
    async (name) => {
      const before = [...host.shops.loads];
      expect((await host.dashboard.get(`/accounts/${name}/payments`)).status).toBe(404);
      expect(host.shops.loads).toEqual(before);
    },
  );
});

describe('A page of an account', () => {
  const host = new ManyShops();

  it('loads the account that the process does not know yet, once', async () => {
    host.prepare().shops.add('shop-17');
    await host.start();
    expect((await host.dashboard.get('/accounts/shop-17')).location).toBe(
      `${host.url}${ALL_PATH}/accounts/shop-17/overview`,
    );
    expect((await host.dashboard.get('/accounts/shop-17/payments')).status).toBe(200);
    expect(host.shops.loads).toEqual(['shop-17']);
  });

  it('names the account in its header, its title and its forms, and leads to others', async () => {
    host.prepare().shops.add('shop-17');
    await host.start();
    for (const path of ['overview', 'payments', 'transactions', 'deliveries', 'reconciliation']) {
      const { text } = await host.dashboard.get(`/accounts/shop-17/${path}`);
      expect(text).toMatch(/<title>[^<]* · shop-17 · Payments<\/title>/);
      expect(text).toContain('<span class="account">shop-17</span>');
      const forms = [...text.matchAll(/<form[^]*?<\/form>/g)].map(([form]) => form);
      const ofAccount = forms.filter((form) => !form.includes('name="beginsWith"'));
      expect(ofAccount.length).toBeGreaterThan(0);
      for (const form of ofAccount) expect(form).toContain('in account <b>shop-17</b>');
      expect(linksOf(text)).toContain('../../accounts');
    }
  });

  it('is answered with 503 while the source is away, without the cause, and works afterwards', async () => {
    host.prepare().shops.add('shop-17');
    await host.start();
    host.shops.failure = () => Promise.reject(new Error('the vault at 10.0.0.7 is sealed'));
    for (const shown of [
      await host.dashboard.get('/accounts/shop-17/payments'),
      await host.dashboard.post('/accounts/shop-17/find', { words: 'x' }),
    ]) {
      expect(shown.status).toBe(503);
      expect(shown.headers.get('retry-after')).toBe('10');
      expect(shown.text).toContain('Account shop-17 cannot be loaded now');
      expect(shown.text).not.toMatch(/vault|10\.0\.0\.7/);
    }
    host.shops.failure = null;
    expect((await host.dashboard.get('/accounts/shop-17/payments')).status).toBe(200);
  });

  it('writes the account to the audit log', async () => {
    const { store } = host.prepare();
    host.shops.add('shop-17');
    const { id } = await recorded(store, aPayment('shop-17'));
    await host.start();
    const log = captureLog();
    await host.dashboard.post(`/accounts/shop-17/payments/${id}/phone`);
    expect(log.map(({ line }) => line)).toEqual([
      `dashboard of account shop-17: unknown operator looked up the phone number of payment ${id}`,
    ]);
  });
});

describe.each(PLATFORMS)('A dashboard of all accounts on $platform', (platform) => {
  const host = new ManyShops({ platform });

  it.each<[string, string, (app: INestApplication) => void]>([
    ['nothing special', '', () => undefined],
    ['a global prefix', '/api/shop', (app) => app.setGlobalPrefix('api/shop')],
    [
      'URI versioning',
      '',
      (app) => app.enableVersioning({ type: VersioningType.URI, defaultVersion: '2' }),
    ],
  ])('has no broken link in an application with %s', async (_, prefix, configure) => {
    const { store } = host.prepare();
    host.shops.add('one').add('two');
    await store.accounts.noteStarts(['one', 'two']);
    const { id } = await recorded(store, aPayment('one'));
    await host.start({ configure });
    const seen = await followLinks(`${host.url}${prefix}${ALL_PATH}`);
    for (const page of [
      'accounts',
      'assets/dashboard.css',
      'accounts/one/overview',
      'accounts/one/statistics.json',
      `accounts/one/payments/${id}`,
      'accounts/two/reconciliation',
    ]) {
      const start = `${host.url}${prefix}${ALL_PATH}/${page}`;
      expect(seen.filter((one) => one.startsWith(start))).not.toEqual([]);
    }
    expect(seen).not.toContain(`${host.url}${prefix}${ALL_PATH}/accounts/two/payments/${id}`);
  });

  it('answers every address that is none with a page and 404', async () => {
    host.prepare().shops.add('one');
    await host.start();
    for (const path of [
      '/nothing',
      '/nothing/here',
      '/assets/none.css',
      '/accounts/one/a/b/c/d',
      '/find',
    ]) {
      const { status, text } = await host.dashboard.get(path);
      expect([path, status]).toEqual([path, 404]);
      expect(text).toContain('There is no such');
    }
  });

  it('shows accounts that are declared at the start as well, and can stand beside a dashboard of one', async () => {
    const { PaymentsModule } = await import('@tillkit/payments');
    host.prepare().shops.add('one');
    await host.start({
      imports: [
        PaymentsModule.forRoot({
          baseUrl: 'https://platform.example',
          clientId: 'id',
          clientSecret: 'secret',
          publicUrl: 'https://shop.example',
          apiKeys: ['an-api-key-of-the-portal'],
          background: false,
          tillNumber: '7',
        }),
        PaymentsDashboardModule.forRoot({ unguarded: UNGUARDED, path: 'own-desk' }),
      ],
    });
    expect((await host.dashboard.get('/accounts/one/payments')).status).toBe(200);
    expect((await host.dashboard.get('/accounts/default/payments')).status).toBe(200);
    expect(listed(await host.dashboard.get('/accounts'))).toEqual(['default', 'one']);
    const own = await fetch(`${host.url}/own-desk/payments`);
    expect(own.status).toBe(200);
    expect(await own.text()).not.toContain('account-chooser');
  });

  it('is refused with an account, with a path that contains payments routes, or with one of another dashboard', async () => {
    expect(() =>
      PaymentsDashboardModule.forAccounts({ unguarded: UNGUARDED, account: 'one' } as never),
    ).toThrow(/account "one" contradicts forAccounts\(\)/);
    expect(() => PaymentsDashboardModule.forAccounts({})).toThrow(DashboardConfigurationError);
    host.prepare();
    await expect(host.start({ dashboard: { path: 'payments' } })).rejects.toThrow(
      /contains the routes of PaymentsModule \(path "payments\/accounts", added accounts\)/,
    );
    await expect(
      host.start({
        dashboard: { path: 'ops' },
        imports: [PaymentsDashboardModule.forAccounts({ unguarded: UNGUARDED, path: 'ops/all' })],
      }),
    ).rejects.toThrow(/the dashboards of all accounts and all accounts overlap/);
  });

  it('can have its options from a factory', async () => {
    host.prepare();
    await host.store.accounts.noteStarts(['one', 'two']);
    host.shops.add('one');
    await host.start({
      dashboard: { path: 'unused' },
      imports: [
        PaymentsDashboardModule.forAccountsAsync({
          path: 'desk',
          unguarded: UNGUARDED,
          useFactory: () => ({ accounts: () => ['one'], timeZone: 'Africa/Nairobi' }),
        }),
      ],
    });
    const shown = await fetch(`${host.url}/desk/accounts`);
    const text = await shown.text();
    expect(text).toContain('Africa/Nairobi');
    expect(text).toContain('accounts/one/overview');
    expect(text).not.toContain('accounts/two');
  });
});
