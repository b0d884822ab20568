import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { MemoryStore } from '@tillkit/payments';
import type { Page } from 'playwright-core';
import {
  anEvent,
  aPayment,
  changed,
  claimCalls,
  commitEvents,
  listen,
  LISTENER,
  recorded,
  times,
} from '../contracts/store-under-test.js';
import { ALL_PATH, ManyShops } from '../end-to-end/dashboard/all-accounts.fixture.js';
import { SCREENS, TestBrowser } from './browser.fixture.js';

jest.setTimeout(120_000);

/** A name as long as a name may be. */
const LONG = 'shop-'.repeat(12) + 'long';

describe('an operator of a platform with many shops', () => {
  const host = new ManyShops({ closes: afterAll });
  const browser = new TestBrowser();
  let start: string;

  beforeAll(async () => {
    const store = new MemoryStore();
    host.prepare(store);
    const names = [...times(60, (n) => `shop-${n}`), LONG];
    for (const name of [...names, 'removed-shop']) host.shops.add(name);
    await store.accounts.noteStarts(names);
    await recorded(store, aPayment('shop-7'));
    await changed(store, await recorded(store, aPayment('shop-7')), { state: 'needs_review' });
    await listen(store, 'shop-7');
    await commitEvents(store, 'shop-7', anEvent('shop-7', 'payment'));
    for (const call of await claimCalls(store, 'shop-7', [LISTENER], 1, 60_000))
      await store.events.finishCall(call, { kind: 'given_up', error: 'closed' });
    // The account stays as long as something of it is open.
    const open = await recorded(store, aPayment('removed-shop'));
    await changed(store, open, { state: 'pending' }, { dueInMs: 3_600_000 });
    await host.start();
    await host.accounts.get('removed-shop');
    host.accounts.remove('removed-shop');
    start = host.url + ALL_PATH;
  });

  it('finds an account that needs attention, opens it, and goes on to another one', async () => {
    const page = await browser.page();
    await page.goto(start);
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'First page' }).click();
    await page.getByLabel('Account whose name begins with').fill('shop-7');
    await page.keyboard.press('Enter');
    await page.waitForURL(/beginsWith=shop-7/);
    await page.getByRole('row', { name: 'shop-7 1 1 0 1' }).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    expect(await page.title()).toContain('shop-7');
    await page.getByRole('link', { name: 'Payments', exact: true }).last().click();
    await page.getByRole('row').nth(1).getByRole('link').click();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    expect(await page.locator('header .account').textContent()).toBe('shop-7');

    await page.locator('.account-chooser summary').focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Account whose name begins with').fill('shop-8');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'shop-8', exact: true }).click();
    await page.getByRole('heading', { name: 'Nothing needs attention' }).waitFor();
    expect(await page.locator('header .account').textContent()).toBe('shop-8');
  });

  it('goes from an account to the list of accounts without JavaScript', async () => {
    const page = await browser.page({ javaScriptEnabled: false });
    await page.goto(`${start}/accounts/shop-7/overview`);
    await page.locator('.account-chooser summary').click();
    await page.getByRole('link', { name: 'All accounts' }).click();
    await page.getByRole('link', { name: 'removed-shop' }).waitFor();
    await page.getByText('removed', { exact: true }).waitFor();
  });

  it.each(SCREENS)(
    'finds every page accessible and no wider than the screen on $screen',
    async ({ options }) => {
      const page = await browser.page(options);
      const found: string[] = [];
      const visit = async (path: string, prepare?: (at: Page) => Promise<void>): Promise<void> => {
        await page.goto(`${start}/${path}`);
        await prepare?.(page);
        found.push(...(await browser.violations(page)).map((one) => `${path}: ${one}`));
        const isTooWide = await page.evaluate<boolean>(
          'document.documentElement.scrollWidth > document.documentElement.clientWidth',
        );
        if (isTooWide) found.push(`${path}: wider than the screen`);
      };
      await visit('accounts');
      await visit('accounts?beginsWith=nobody');
      await visit('accounts?beginsWith=%25');
      await visit('accounts/nobody/overview');
      for (const path of ['payments', 'dead-letters', 'deliveries', 'reconciliation'])
        await visit(`accounts/shop-7/${path}`);
      await visit(`accounts/${LONG}/payments`);
      // The open menu lies above the page: nothing to click may be half under it.
      await visit(`accounts/${LONG}/anomalies`, (at) =>
        at.locator('.account-chooser summary').click(),
      );
      host.shops.failure = () => Promise.reject(new Error('the vault at 10.0.0.7 is sealed'));
      await visit('accounts/brand-new/overview');
      host.shops.failure = null;
      expect(found).toEqual([]);
    },
  );
});
