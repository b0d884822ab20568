import {
  ForbiddenException,
  Injectable,
  UnauthorizedException,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aPayment, recorded } from '../../contracts/store-under-test.js';
import { captureLog, DashboardVisitor, type Shown } from '../../support/dashboard.visitor.js';
import { ApiGuard, Public } from '../../support/host.guards.js';
import { PLATFORMS } from '../../support/platforms.js';
import { ALL_PATH, ManyShops } from './all-accounts.fixture.js';

interface SignedIn {
  headers: Record<string, string>;
  params: { account?: string };
  shops: readonly string[];
}

/** The shops of each operator of the host. */
const SHOPS: Readonly<Record<string, readonly string[]>> = { jane: ['one'], joe: ['one', 'two'] };

/** Lets operators see the pages of their own shops, the start page and the assets. It knows the shop by the parameter of the route. */
@Injectable()
class OperatorsGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<SignedIn>();
    const shops = SHOPS[request.headers['authorization'] ?? ''];
    if (!shops) throw new UnauthorizedException('sign in first');
    request.shops = shops;
    const { account } = request.params;
    if (account !== undefined && !shops.includes(account))
      throw new ForbiddenException('not your shop');
    return true;
  }
}

const PAGES = [
  '',
  '/overview',
  '/statistics.json',
  '/payments',
  '/payments/search',
  '/payments/payment-1',
  '/payments/payment-1/phone',
  '/payouts',
  '/payouts/new',
  '/payouts/1',
  '/refunds',
  '/refunds/1',
  '/payment-links',
  '/payment-links/new',
  '/find',
  '/transactions',
  '/transaction',
  '/transaction/phone',
  '/deliveries',
  '/deliveries/1',
  '/deliveries/1/body',
  '/dead-letters',
  '/anomalies',
  '/sending',
  '/reconciliation',
  '/no/such/page',
];

const FORMS = [
  '/find',
  '/payments/search',
  '/payments/payment-1/phone',
  '/operations/payment-1/review',
  '/operations/payment-1/note',
  '/operations/payment-1/status',
  '/refunds/new',
  '/refunds',
  '/payouts/new',
  '/payouts',
  '/payouts/1/approve',
  '/payouts/1/decline',
  '/payouts/1/phones',
  '/payment-links/new',
  '/payment-links',
  '/payment-links/1/cancel',
  '/deliveries/1/replay',
  '/deliveries/1/body',
  '/dead-letters/replay',
  '/sending',
  '/transaction/phone',
  '/reconciliation',
];

describe.each(PLATFORMS)('An operator of some accounts on $platform', (platform) => {
  const host = new ManyShops({ platform });

  const prepare = async (): Promise<void> => {
    const { store, shops } = host.prepare();
    shops.add('one').add('two');
    await store.accounts.noteStarts(['one', 'two']);
    for (const account of ['one', 'two'])
      await recorded(store, aPayment(account, { id: 'payment-1' }));
  };

  const visitor = (operator?: string): DashboardVisitor =>
    new DashboardVisitor(host.url + ALL_PATH, operator ? { authorization: operator } : {});

  describe('whose guard reads the parameter of the route', () => {
    const start = async (): Promise<void> => {
      await prepare();
      await host.start({ dashboard: { guards: [OperatorsGuard] } });
    };

    it('gets the pages of own accounts only', async () => {
      await start();
      for (const path of PAGES) {
        const refused = await visitor('jane').get(`/accounts/two${path}`);
        expect({ path, status: refused.status, ...JSON.parse(refused.text) }).toMatchObject({
          path,
          status: 403,
          message: 'not your shop',
        });
      }
      expect(host.shops.loads).toEqual([]);
      const statusOf = async (shown: Promise<Shown>): Promise<number> => (await shown).status;
      for (const path of PAGES) {
        const own = await statusOf(visitor('jane').get(`/accounts/one${path}`));
        expect({ path, isRefused: own === 403 || own >= 405 }).toEqual({ path, isRefused: false });
        expect(await statusOf(visitor('joe').get(`/accounts/two${path}`))).not.toBe(403);
        const unsigned = await statusOf(visitor().get(`/accounts/one${path}`));
        expect({ path, unsigned }).toEqual({ path, unsigned: 401 });
      }
    });

    it('sends the forms of own accounts only', async () => {
      await start();
      const log = captureLog();
      for (const path of FORMS) {
        const { status, text } = await visitor('jane').post(`/accounts/two${path}`, {
          which: 'all',
        });
        expect({ path, status }).toEqual({ path, status: 403 });
        expect(text).toContain('not your shop');
      }
      expect(host.shops.loads).toEqual([]);
      expect(log).toEqual([]);
      for (const path of FORMS) {
        const own = await visitor('jane').post(`/accounts/one${path}`);
        const unsigned = await visitor().post(`/accounts/one${path}`);
        expect({ path, isRefused: own.status === 403, unsigned: unsigned.status }).toEqual({
          path,
          isRefused: false,
          unsigned: 401,
        });
      }
    });

    it('gets the start page and the assets, which have no account, only signed in', async () => {
      await start();
      for (const path of ['', '/accounts', '/assets/dashboard.css', '/nothing']) {
        expect((await visitor().get(path)).status).toBe(401);
        expect([200, 303, 404]).toContain((await visitor('jane').get(path)).status);
      }
    });
  });

  describe('whom the option accounts limits', () => {
    it('sees only these accounts on the start page, and gets no pages and forms of others', async () => {
      await prepare();
      await host.start({
        dashboard: {
          guards: [OperatorsGuard],
          accounts: ({ shops }: SignedIn) => Promise.resolve(shops),
        },
      });
      const jane = visitor('jane');
      const shown = await jane.get('/accounts');
      expect(shown.text).toContain('accounts/one/overview');
      expect(shown.text).not.toContain('two');
      expect((await jane.get('/accounts?beginsWith=two')).text).not.toContain('accounts/two');
      expect((await visitor('joe').get('/accounts')).text).toContain('accounts/two/overview');
    });

    it('gets 404 for every page and form of another account, which is not loaded', async () => {
      await prepare();
      await host.start({ dashboard: { accounts: () => ['one'] } });
      const log = captureLog();
      for (const path of PAGES) {
        const { status, text } = await host.dashboard.get(`/accounts/two${path}`);
        expect({ path, status }).toEqual({ path, status: 404 });
        expect(text).toContain('There is no such account');
      }
      for (const path of FORMS) {
        const { status } = await host.dashboard.post(`/accounts/two${path}`, { which: 'all' });
        expect({ path, status }).toEqual({ path, status: 404 });
      }
      expect(host.shops.loads).toEqual([]);
      expect(log).toEqual([]);
      expect((await host.dashboard.get('/accounts/one/payments')).status).toBe(200);
    });

    it.each<[string, () => never]>([
      [
        'throws',
        () => {
          throw new Error('no session');
        },
      ],
      ['returns nothing', () => undefined as never],
      ['returns a text', () => 'one' as never],
    ])('sees nothing when the option %s', async (_, accounts) => {
      await prepare();
      await host.start({ dashboard: { accounts } });
      for (const path of ['/accounts', '/accounts/one/payments']) {
        const { status, text } = await host.dashboard.get(path);
        expect(status).toBe(500);
        expect(text).not.toMatch(/no session|accounts\/one\/overview/);
      }
    });
  });
});

describe.each(PLATFORMS)('A form of an account on $platform', (platform) => {
  const host = new ManyShops({ platform, closes: afterAll });

  beforeAll(async () => {
    const { store, shops } = host.prepare();
    shops.add('one');
    await recorded(store, aPayment('one', { id: 'payment-1' }));
    await host.start();
  });

  it.each(FORMS)('is refused at %s when another origin has sent it', async (path) => {
    const log = captureLog();
    const others: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      {},
    ];
    for (const headers of others) {
      const sent = await host.dashboard.postFrom(headers, `/accounts/one${path}`, { which: 'all' });
      expect(sent.status).toBe(403);
      expect(sent.text).toContain('The form was not sent by this dashboard');
    }
    expect(log).toEqual([]);
  });

  it('is refused when it is too large', async () => {
    const sent = await host.dashboard.post('/accounts/one/find', { words: 'x'.repeat(20_000) });
    expect(sent.status).toBe(413);
  });
});

describe.each(PLATFORMS)('A host with a global guard on $platform', (platform) => {
  const host = new ManyShops({ platform });

  it('lets browsers pass to every page of all accounts with its own decorator', async () => {
    const providers = [{ provide: APP_GUARD, useClass: ApiGuard }];
    host.prepare().shops.add('one');
    await host.start({ providers });
    for (const path of ['/accounts', '/accounts/one/payments', '/assets/dashboard.css'])
      expect((await host.dashboard.get(path)).status).toBe(403);
    await host.app.close();
    await host.start({ providers, dashboard: { controllerDecorators: [Public()] } });
    for (const path of [
      '',
      '/accounts',
      '/assets/dashboard.css',
      '/none',
      ...PAGES.map((page) => `/accounts/one${page}`),
    ])
      expect([200, 303, 404]).toContain((await host.dashboard.get(path)).status);
    for (const path of FORMS)
      expect((await host.dashboard.post(`/accounts/one${path}`)).status).not.toBe(403);
  });
});
