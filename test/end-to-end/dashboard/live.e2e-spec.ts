import {
  Injectable,
  UnauthorizedException,
  type CanActivate,
  type NestInterceptor,
} from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import { MemoryStore, StoreUnavailableError } from '@tillkit/payments';
import { PostgresStore } from '@tillkit/postgres';
import { map, timeout } from 'rxjs';
import { freshDatabase } from '../../contracts/test-database.js';
import { aPayment, anEvent, commitEvents, recorded } from '../../contracts/store-under-test.js';
import { altered } from '../../support/altered.store.js';
import { Merchant } from '../../support/merchant.js';
import { PLATFORMS } from '../../support/platforms.js';
import { until } from '../../support/until.js';
import { ManyShops } from './all-accounts.fixture.js';
import { DashboardHost } from './dashboard.fixture.js';
import { LiveViewer } from './live.viewer.js';

// A look comes every two seconds.
jest.setTimeout(60_000);

const UNGUARDED = 'anyone may see every payment';

/** A store that counts the looks at it, and whose database can be away. */
class WatchedStore extends MemoryStore {
  looks = 0;
  isAway = false;

  constructor() {
    super();
    altered(this, {
      statistics: {
        recentChanges:
          (original) =>
          async (...args) => {
            this.looks += 1;
            if (this.isAway) throw new StoreUnavailableError('no connection to 10.0.0.7');
            return original(...args);
          },
      },
    });
  }
}

@Injectable()
class KeyGuard implements CanActivate {
  canActivate(context: Parameters<CanActivate['canActivate']>[0]): boolean {
    const { headers } = context
      .switchToHttp()
      .getRequest<{ headers: Record<string, string | undefined> }>();
    if (headers['authorization'] !== 'jane') throw new UnauthorizedException('sign in first');
    return true;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(PLATFORMS)('A live page on $platform', (platform) => {
  const host = new DashboardHost(platform);
  const viewers: LiveViewer[] = [];

  afterEach(() => {
    for (const viewer of viewers.splice(0)) viewer.leave();
  });

  async function viewer(url = `${host.dashboard.url}/live`, headers = {}): Promise<LiveViewer> {
    const opened = await LiveViewer.open(url, headers);
    viewers.push(opened);
    return opened;
  }

  async function opened(): Promise<WatchedStore> {
    const store = new WatchedStore();
    await host.open({ payments: { store } });
    return store;
  }

  it('is told of a change, with the payment that changed', async () => {
    await opened();
    const page = await viewer();
    expect(page.response.statusCode).toBe(200);
    expect(page.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
    await until(() => page.told.length === 1);
    const id = await host.paid();
    await until(() => page.changes.some(({ about }) => about?.includes(id) === true));
    const versions = page.told.map(({ version }) => version);
    expect(new Set(versions).size).toBe(versions.length);
  });

  it('shares one look at the store with every other viewer, and there is none without viewers', async () => {
    const store = await opened();
    await pause(2_500);
    expect(store.looks).toBe(0);
    const [one, two] = [await viewer(), await viewer()];
    await until(() => one.told.length > 0 && two.told.length > 0);
    await commitEvents(store, 'default', anEvent('default', 'a stream'));
    await until(() => one.changes.length > 0 && two.changes.length > 0);
    expect(one.told).toEqual(two.told);
    // The first look, one with the change, and perhaps one that came between.
    expect(store.looks).toBeLessThanOrEqual(3);
    one.leave();
    await pause(500);
    const before = store.looks;
    await until(() => store.looks > before);
    two.leave();
    await pause(500);
    const after = store.looks;
    await pause(2_500);
    expect(store.looks).toBe(after);
  });

  it('knows from the version of the page whether something changed since it was loaded', async () => {
    const store = await opened();
    const versionIn = async (): Promise<string | undefined> =>
      /data-version="([^"]*)"/.exec((await host.dashboard.get('/payments')).text)?.[1];
    expect(await versionIn()).toBe('');
    const first = await viewer();
    await until(() => first.told.length > 0);
    const version = await versionIn();
    const second = await viewer();
    await until(() => second.told.length > 0);
    expect(second.told[0]!.version).toBe(version);
    await recorded(store, aPayment('default'));
    await until(() => first.changes.length > 0);
    expect(first.changes[0]!.version).not.toBe(version);
    expect(await versionIn()).toBe(first.changes[0]!.version);
  });

  it('is told when the store does not answer, and when it answers again', async () => {
    const store = await opened();
    const page = await viewer();
    await until(() => page.told.length > 0);
    store.isAway = true;
    await until(() => page.told.at(-1)!.live === false);
    store.isAway = false;
    await until(() => page.told.at(-1)!.live);
    expect(new Set(page.told.map(({ version }) => version)).size).toBe(1);
  });

  it('ends when the application closes, which does not wait for it', async () => {
    await opened();
    const pages = [await viewer(), await viewer()];
    await until(() => pages.every(({ told }) => told.length > 0));
    const startedAt = performance.now();
    await host.merchant.close();
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    await until(() => pages.every(({ isEnded }) => isEnded));
    await host.open();
  });

  it('is refused with 503 above the limit of a process, and admitted again when others have left', async () => {
    await opened();
    const all = await Promise.all(Array.from({ length: 200 }, () => viewer()));
    const refused = await host.dashboard.get('/live');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('10');
    expect(refused.text).toContain('Too many pages are open');
    all[0]!.leave();
    await until(async () => {
      const next = await viewer();
      return next.response.statusCode === 200;
    });
  });

  it('of an account with fewer viewers takes the place of a viewer of the account that has the most', async () => {
    const shops = new ManyShops({ platform, closesAfterEach: false }).prepare();
    shops.shops.add('crowded').add('quiet');
    await shops.start();
    try {
      const open = (shop: string): Promise<LiveViewer> =>
        viewer(`${shops.dashboard.url}/accounts/${shop}/live`);
      const crowd = await Promise.all(Array.from({ length: 200 }, () => open('crowded')));
      expect((await open('crowded')).response.statusCode).toBe(503);
      const quiet = await open('quiet');
      expect(quiet.response.statusCode).toBe(200);
      await until(() => crowd.filter(({ isEnded }) => isEnded).length === 1);
      await until(() => quiet.told.length > 0);
      expect((await open('crowded')).response.statusCode).toBe(503);
    } finally {
      await shops.app.close();
    }
  });

  it('answers a request for its head at once, and holds no place for it', async () => {
    await opened();
    await Promise.all(Array.from({ length: 199 }, () => viewer()));
    for (let times = 0; times < 3; times += 1) {
      const { status, headers, text } = await host.dashboard.get('/live', { method: 'HEAD' });
      expect({ status, text }).toEqual({ status: 200, text: '' });
      expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    }
    const last = await viewer();
    expect(last.response.statusCode).toBe(200);
    expect((await host.dashboard.get('/live', { method: 'HEAD' })).status).toBe(503);
  });

  it('is for those whom the guards admit', async () => {
    await host.open();
    await host.merchant.close();
    host.merchant = await Merchant.open({
      platform,
      imports: [PaymentsDashboardModule.forRoot({ guards: [KeyGuard] })],
    });
    const url = `${host.merchant.url}/payments-dashboard/live`;
    expect((await viewer(url)).response.statusCode).toBe(401);
    const page = await viewer(url, { authorization: 'jane' });
    expect(page.response.statusCode).toBe(200);
    await until(() => page.told.length > 0);
  });

  it('is for one account of several, and answers 404 for one that there is not', async () => {
    await host.open();
    await host.merchant.close();
    const store = new MemoryStore();
    host.merchant = await Merchant.open({
      platform,
      payments: { store },
      imports: [PaymentsDashboardModule.forAccounts({ unguarded: UNGUARDED })],
    });
    const url = `${host.merchant.url}/payments-dashboard/accounts`;
    const page = await viewer(`${url}/default/live`);
    await until(() => page.told.length > 0);
    await commitEvents(store, 'another', anEvent('another', 'not ours'));
    await commitEvents(store, 'default', anEvent('default', 'ours'));
    await until(() => page.changes.length > 0);
    expect(page.changes.flatMap(({ about }) => about)).toEqual(['ours']);
    expect((await viewer(`${url}/nobody/live`)).response.statusCode).toBe(404);
  });

  it('is not broken by interceptors of the host that wrap answers or end slow ones', async () => {
    const wrapping: NestInterceptor = {
      intercept: (_, next) =>
        next.handle().pipe(
          timeout(300),
          map((data: unknown) => ({ data })),
        ),
    };
    const store = new MemoryStore();
    await host.open({
      payments: { store },
      configure: (app) => app.useGlobalInterceptors(wrapping),
    });
    const page = await viewer();
    await until(() => page.told.length > 0);
    await pause(500);
    await commitEvents(store, 'default', anEvent('default', 'ours'));
    await until(() => page.changes.length > 0);
    expect(page.changes[0]!.about).toEqual(['ours']);
  });

  it('sees what another process has changed in the database', async () => {
    const database = await freshDatabase();
    const [here, elsewhere] = ['here', 'elsewhere'].map(
      () => new PostgresStore({ connectionString: database.url, poolSize: 2 }),
    ) as [PostgresStore, PostgresStore];
    try {
      await host.open({ payments: { store: here } });
      const page = await viewer();
      await until(() => page.told.length > 0);
      const { id } = await recorded(elsewhere, aPayment('default'));
      await until(() => page.changes.length > 0);
      expect(page.changes[0]!.about).toEqual([id]);
      await host.merchant.close();
      await host.open();
    } finally {
      await Promise.all([here.close(), elsewhere.close()]);
      await database.drop();
    }
  });

  it('is every page that shows what changes, and no form and no result of one', async () => {
    await host.open();
    const id = await host.paid();
    for (const path of [
      '/payments',
      `/payments/${id}`,
      '/transactions',
      '/deliveries',
      '/dead-letters',
    ])
      expect((await host.dashboard.get(path)).text).toContain('assets/live.js');
    expect((await host.dashboard.get(`/payments/${id}`)).text).toContain(`data-about="${id}"`);
    const forms = ['/payouts/new', '/payment-links/new', `/refunds/new?payment=${id}`];
    for (const path of ['/overview', '/reconciliation', '/sending', '/lost', ...forms])
      expect((await host.dashboard.get(path)).text).not.toContain('live.js');
    for (const path of [`/payments/${id}/phone`, '/payments/search'])
      expect((await host.dashboard.post(path)).text).not.toContain('live.js');
  });
});
