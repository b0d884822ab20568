import { describe, expect, it } from '@jest/globals';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import { MemoryStore } from '@tillkit/payments';
import { PostgresStore } from '@tillkit/postgres';
import { aPayment, anEvent, commitEvents, recorded } from '../../contracts/store-under-test.js';
import { freshDatabase } from '../../contracts/test-database.js';
import { Merchant } from '../../support/merchant.js';
import { until } from '../../support/until.js';
import { ManyShops } from './all-accounts.fixture.js';
import { LiveHost } from './live.fixture.js';
import type { LiveViewer } from './live.viewer.js';

const UNGUARDED = 'anyone may see every payment';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('A live page', () => {
  const host = new LiveHost();

  it('shares one query of the store with all other viewers, and without viewers there is no query', async () => {
    const store = await host.watched();
    await pause(2_500);
    expect(store.looks).toBe(0);
    const [one, two] = [await host.viewer(), await host.viewer()];
    await until(() => one.messages.length > 0 && two.messages.length > 0);
    await commitEvents(store, 'default', anEvent('default', 'a stream'));
    await until(() => one.changes.length > 0 && two.changes.length > 0);
    expect(one.messages).toEqual(two.messages);
    // The first look counts, the one with the change, and perhaps one that came between.
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
    const store = await host.watched();
    const versionIn = async (): Promise<string | undefined> =>
      /data-version="([^"]*)"/.exec((await host.dashboard.get('/payments')).text)?.[1];
    expect(await versionIn()).toBe('');
    const first = await host.viewer();
    await until(() => first.messages.length > 0);
    const version = await versionIn();
    const second = await host.viewer();
    await until(() => second.messages.length > 0);
    expect(second.messages[0]!.version).toBe(version);
    await recorded(store, aPayment('default'));
    await until(() => first.changes.length > 0);
    expect(first.changes[0]!.version).not.toBe(version);
    expect(await versionIn()).toBe(first.changes[0]!.version);
  });

  it('gets a message when the store does not answer, and when it answers again', async () => {
    const store = await host.watched();
    const page = await host.viewer();
    await until(() => page.messages.length > 0);
    store.isAway = true;
    await until(() => page.messages.at(-1)!.live === false);
    store.isAway = false;
    await until(() => page.messages.at(-1)!.live);
    expect(new Set(page.messages.map(({ version }) => version)).size).toBe(1);
  });

  it('of an account with fewer viewers takes the place of a viewer of the account that has the most', async () => {
    const shops = new ManyShops({ closes: () => undefined }).prepare();
    shops.shops.add('crowded').add('quiet');
    await shops.start();
    try {
      const open = (shop: string): Promise<LiveViewer> =>
        host.viewer(`${shops.dashboard.url}/accounts/${shop}/live`);
      const crowd = await Promise.all(Array.from({ length: 200 }, () => open('crowded')));
      expect((await open('crowded')).response.statusCode).toBe(503);
      const quiet = await open('quiet');
      expect(quiet.response.statusCode).toBe(200);
      await until(() => crowd.filter(({ isEnded }) => isEnded).length === 1);
      await until(() => quiet.messages.length > 0);
      expect((await open('crowded')).response.statusCode).toBe(503);
    } finally {
      await shops.app.close();
    }
  });

  it('is for one account of several, and answers 404 for an account that does not exist', async () => {
    await host.open();
    await host.merchant.close();
    const store = new MemoryStore();
    host.merchant = await Merchant.open({
      payments: { store },
      imports: [PaymentsDashboardModule.forAccounts({ unguarded: UNGUARDED })],
    });
    const url = `${host.merchant.url}/payments-dashboard/accounts`;
    const page = await host.viewer(`${url}/default/live`);
    await until(() => page.messages.length > 0);
    await commitEvents(store, 'another', anEvent('another', 'not ours'));
    await commitEvents(store, 'default', anEvent('default', 'ours'));
    await until(() => page.changes.length > 0);
    expect(page.changes.flatMap(({ about }) => about)).toEqual(['ours']);
    expect((await host.viewer(`${url}/nobody/live`)).response.statusCode).toBe(404);
  });

  it('sees what another process has changed in the database', async () => {
    const database = await freshDatabase();
    const [here, elsewhere] = ['here', 'elsewhere'].map(
      () => new PostgresStore({ connectionString: database.url, poolSize: 2 }),
    ) as [PostgresStore, PostgresStore];
    try {
      await host.open({ payments: { store: here } });
      const page = await host.viewer();
      await until(() => page.messages.length > 0);
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
