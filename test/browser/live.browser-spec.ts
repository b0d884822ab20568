import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import { MemoryStore } from '@tillkit/payments';
import type { Page } from 'playwright-core';
import { anEvent, commitEvents } from '../contracts/store-under-test.js';
import { aRequestFrom, Merchant } from '../support/merchant.js';
import { until } from '../support/until.js';
import { TestBrowser } from './browser.fixture.js';

/** The handset scenario: the prompt waits for a person. */
const PERSON = '+254700000014';

describe('a page of the dashboard that is open', () => {
  const browser = new TestBrowser();
  let merchant: Merchant;
  let store: MemoryStore;
  let url: string;

  let amounts = 100;

  beforeEach(async () => {
    store = new MemoryStore();
    merchant = await Merchant.open({
      payments: { store },
      imports: [PaymentsDashboardModule.forRoot({ unguarded: 'anyone may see every payment' })],
    });
    url = `${merchant.url}/payments-dashboard`;
  });

  afterEach(() => merchant.close());

  /** Returns a payment whose prompt is on the phone, each of another amount. */
  async function asked(): Promise<string> {
    const amount = { currency: 'KES', value: `${(amounts += 1)}` };
    const { id } = await merchant.payments.request(aRequestFrom(PERSON, { amount }));
    await until(() => isRinging());
    return id;
  }

  const isRinging = (): boolean =>
    merchant.simulator
      .handset(PERSON)
      .prompts()
      .some(({ state }) => state === 'open');

  /** Opens a page that notices a reload. */
  async function open(path: string, options = {}): Promise<Page> {
    const page = await browser.page(options);
    await page.goto(`${url}/${path}`);
    await page.locator('.live').getByText('Live', { exact: true }).waitFor();
    await page.evaluate(() => Reflect.set(globalThis, 'isSamePage', true));
    return page;
  }

  const isSamePage = (page: Page): Promise<boolean> =>
    page.evaluate(() => Reflect.get(globalThis, 'isSamePage') === true);

  it('shows that its payment succeeded, and keeps what is typed, open and focused', async () => {
    const id = await asked();
    const page = await open(`payments/${id}`);
    await page.getByRole('searchbox').fill('half of a nam');
    merchant.simulator.handset(PERSON).approve();
    await page.getByRole('listitem').filter({ hasText: 'Paid by' }).waitFor();
    await page.getByText('The listener RecordedEvents.succeeded completed').waitFor();
    expect(await page.locator('.title .state').textContent()).toBe('succeeded');
    expect(await page.getByRole('searchbox').inputValue()).toBe('half of a nam');
    expect(await page.evaluate('document.activeElement.id')).toBe('find');
    await page.getByText('Data from the platform').click();
    await commitEvents(store, 'default', anEvent('default', id));
    await page.getByText('Event delivery.unrecognised').waitFor();
    expect(await page.locator('details').first().getAttribute('open')).toBe('');
    expect(await isSamePage(page)).toBe(true);
    const news = await page.getByRole('status').allTextContents();
    expect(news).toEqual(['The page has changed. From now on it shows changes by itself.']);
  });

  it('never changes a form that somebody fills in, and shows the rest of the page', async () => {
    await asked();
    const page = await open('payments');
    await page.getByText('More filters').click();
    await page.getByLabel('Beginning of the order number').fill('INV-20');
    await page.getByRole('link', { name: 'Overview' }).focus();
    const rows = page.getByRole('row');
    expect(await rows.count()).toBe(2);
    merchant.simulator.handset(PERSON).approve();
    await rows.nth(1).getByText('succeeded').waitFor();
    await rows.nth(1).getByRole('link').focus();
    const focused = await rows.nth(1).getByRole('link').textContent();
    await asked();
    await until(async () => (await rows.count()) === 3);
    // The new payment stands above: the focus is still on the link to the first one.
    expect(await page.evaluate('document.activeElement.textContent')).toBe(focused);
    expect(await rows.nth(2).getByRole('link').textContent()).toBe(focused);
    expect(await page.getByLabel('Beginning of the order number').inputValue()).toBe('INV-20');
    expect(await isSamePage(page)).toBe(true);
  });

  it('waits while a text is selected', async () => {
    const id = await asked();
    const page = await open(`payments/${id}`);
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector('.title'))`);
    merchant.simulator.handset(PERSON).approve();
    await merchant.received.next('payment.succeeded');
    await page.waitForTimeout(5_000);
    expect(await page.locator('.title .state').textContent()).toBe('pending');
    await page.evaluate('getSelection().removeAllRanges()');
    await page.locator('.title .state').getByText('succeeded').waitFor();
  });

  it('says when it is not live, and is live again by itself', async () => {
    const page = await open('payments');
    await page.route('**/live', (route) => route.abort());
    // A hidden page disconnects; a page that is shown again connects.
    for (const isHidden of [true, false])
      await page.evaluate(`
        Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByText('Not live, loading again failed').waitFor();
    await page.unroute('**/live');
    await page.locator('.live').getByText('Live', { exact: true }).waitFor();
  });

  it('shows its content without a script, and does not say that it is live', async () => {
    const id = await asked();
    const page = await browser.page({ javaScriptEnabled: false });
    await page.goto(`${url}/payments/${id}`);
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    expect(await page.locator('.live').isVisible()).toBe(false);
  });

  it('copies exactly the text that a payload shows, and shows no button without a script', async () => {
    const id = await asked();
    merchant.simulator.handset(PERSON).approve();
    await merchant.received.next('payment.succeeded');
    const { items } = await store.deliveries.list('default', { resourceId: id }, { limit: 1 });
    const path = `deliveries/${items[0]!.id}`;
    const page = await open(path, { permissions: ['clipboard-read', 'clipboard-write'] });
    // The button says so for two seconds. The clock of the page stands still, so that a slow test sees it.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(await page.locator('.payload pre').textContent());
    expect(copied).toContain('"type": "incoming_payment"');
    expect(copied).not.toContain(PERSON);
    await page.clock.runFor(2_000);
    await page.getByRole('button', { name: 'Copy', exact: true }).waitFor();

    const plain = await browser.page({ javaScriptEnabled: false });
    await plain.goto(`${url}/${path}`);
    expect(await plain.getByRole('button', { name: 'Copy' }).isVisible()).toBe(false);
    expect(await plain.locator('.payload pre').textContent()).toBe(copied);
  });
});
