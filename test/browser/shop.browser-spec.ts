import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { OpenShop, TestDirectory } from '../../sample-app/test/shop.fixture.js';
import { SCREENS, TestBrowser } from './browser.fixture.js';

/** The handset scenario: the prompt waits for a person. */
const PERSON = '0700000014';
const PERSONS_PHONE = '+254700000014';

const SMALL_PHONE = { width: 360, height: 640 };

const browser = new TestBrowser();
let directory: TestDirectory;
let shop: OpenShop;

beforeAll(async () => {
  directory = await TestDirectory.create();
});

afterAll(() => directory.remove());

beforeEach(async () => {
  shop = await OpenShop.open({ directory });
});

afterEach(() => shop.close());

/** Opens the form from the start page, and fills it in. */
async function fillIn(page: Page, { name = 'Wanjiru Kamau', phone = PERSON } = {}): Promise<void> {
  await page.goto(shop.url);
  await page.getByRole('link', { name: 'Nyeri coffee' }).click();
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('Phone number').fill(phone);
}

const pay = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Pay KES 650' }).click();

const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor();

/** Waits for the prompt on the simulated phone. */
async function prompt(): Promise<ReturnType<OpenShop['simulator']['handset']>> {
  const phone = shop.simulator.handset(PERSONS_PHONE);
  while (!phone.prompts().some(({ state }) => state === 'open')) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return phone;
}

describe('a customer of the shop', () => {
  it('pays, and sees the order as paid, and the transaction and the SMS in the list of the till', async () => {
    const page = await browser.page();
    await fillIn(page);
    await pay(page);
    await heading(page, 'Check your phone');
    const address = page.url();

    (await prompt()).approve();
    await heading(page, 'Paid. Asante!');

    expect(page.url()).toBe(address);
    const [transaction] = shop.simulator.transactions();
    expect(await page.getByText(transaction!.reference!).count()).toBe(1);
    expect(await page.title()).toMatch(/^Paid\. Asante!/);
    expect(await page.getByRole('status').textContent()).toContain('Paid. Asante!');

    await page.getByRole('link', { name: 'Till' }).click();
    await page.getByText(transaction!.reference!).waitFor();
    await page.getByText('SMS sent').waitFor();
  });

  it('cancels, sees that on the page, and pays at the second attempt', async () => {
    const page = await browser.page();
    await fillIn(page);
    await pay(page);
    await heading(page, 'Check your phone');
    (await prompt()).cancel();
    await heading(page, 'The payment did not go through');
    await page.getByRole('article').getByText('The request was cancelled').waitFor();

    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Check your phone');
    (await prompt()).approve();
    await heading(page, 'Paid. Asante!');
    expect(shop.simulator.charges().map(({ status }) => status)).toEqual(['Failed', 'Success']);
  });

  it('sees an error beside an invalid phone number, and corrects it', async () => {
    const page = await browser.page();
    await fillIn(page, { phone: '07' });
    await pay(page);
    const field = page.getByLabel('Phone number');
    await page.getByText('This is not a valid phone number.').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await field.inputValue()).toBe('07');
    expect(await page.locator('#phone:focus').count()).toBe(1);
    expect(await page.getByLabel('Your name').inputValue()).toBe('Wanjiru Kamau');

    await field.fill('0700 000 001');
    await pay(page);
    await heading(page, 'Paid. Asante!');
  });

  it('presses the button twice, and gets one prompt', async () => {
    const page = await browser.page();
    await fillIn(page);
    await page.getByRole('button', { name: 'Pay KES 650' }).dblclick();
    await heading(page, 'Check your phone');
    // A new form is another order. The phone gets its prompt only after the first one has ended.
    await fillIn(page);
    await pay(page);
    await heading(page, 'No prompt on your phone?');
    await shop.simulator.idle();
    expect(shop.simulator.charges()).toHaveLength(1);
  });

  it('says that the phone shows no prompt, is asked again, and pays once', async () => {
    const page = await browser.page();
    await fillIn(page);
    await pay(page);
    await heading(page, 'Check your phone');
    await page.getByRole('link', { name: 'No prompt on your phone? Send it again' }).click();
    await heading(page, 'No prompt on your phone?');
    await page.getByRole('button', { name: 'There is none: send it again' }).click();
    await heading(page, 'Check your phone');
    while (shop.simulator.charges().length < 2)
      await new Promise((resolve) => setTimeout(resolve, 20));
    (await prompt()).approve();
    await heading(page, 'Paid. Asante!');
  });

  it('sees the button to pay on the first screen of a small phone, for every article', async () => {
    const page = await browser.page({ viewport: SMALL_PHONE, isMobile: true });
    await page.goto(shop.url);
    const articles = await page.getByRole('listitem').getByRole('heading', { level: 2 }).all();
    const paths = await Promise.all(
      articles.map((article) => article.getByRole('link').getAttribute('href')),
    );
    expect(paths.length).toBeGreaterThan(3);
    for (const path of paths) {
      await page.goto(shop.url + path!);
      const { y, height } = (await page.getByRole('button', { name: 'Pay KES' }).boundingBox())!;
      expect({ path, isOnScreen: y + height <= SMALL_PHONE.height }).toEqual({
        path,
        isOnScreen: true,
      });
    }
  });

  it('sees the payment succeed on a page that gets no stream of its changes', async () => {
    const page = await browser.page();
    await fillIn(page);
    await pay(page);
    await heading(page, 'Check your phone');
    const abort = new AbortController();
    const stream = async (): Promise<number> =>
      (await fetch(`${page.url()}/events`, { signal: abort.signal })).status;
    while ((await stream()) !== 429);
    await page.reload();
    await heading(page, 'Check your phone');
    (await prompt()).approve();
    await heading(page, 'Paid. Asante!');
    abort.abort();
  });

  it('tries again with another phone number', async () => {
    const page = await browser.page();
    await fillIn(page, { phone: '0700000002' });
    await pay(page);
    // The page of the checkout has a field of this name too, until the next page has come.
    await heading(page, 'The payment did not go through');
    await page.getByLabel('Phone number').fill('0700000001');
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Paid. Asante!');
    await page.getByText('+254 700 000 001').first().waitFor();
  });

  it('cannot run a script through a hostile name', async () => {
    const page = await browser.page();
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const name = `<script>alert(1)</script><img src=x onerror="alert(2)">`;
    await fillIn(page, { name: `${name}`, phone: PERSON });
    await pay(page);
    await heading(page, 'Check your phone');
    (await prompt()).approve();
    await heading(page, 'Paid. Asante!');
    await page.getByText(name, { exact: true }).waitFor();
    await page.goto(`${shop.url}/till`);
    await page.locator('bdi').getByText('<script>alert(1)</script><img').waitFor();
    expect(dialogs).toEqual([]);
  });

  it('chooses a practice phone with the keyboard after typing the name', async () => {
    const page = await browser.page();
    await page.goto(`${shop.url}/goods/mango`);
    await page.getByLabel('Your name').fill('Otieno');
    await page.getByRole('button', { name: '0700000002' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/practice=0700000002$/);
    expect(await page.getByLabel('Phone number').inputValue()).toBe('0700000002');
    expect(await page.getByLabel('Your name').inputValue()).toBe('Otieno');
    await page.getByLabel('Your name').focus();
    await page.keyboard.press('Enter');
    await heading(page, 'The payment did not go through');
    expect(page.url()).toContain('/orders/');
  });

  it('sees the outcome without JavaScript', async () => {
    const page = await browser.page({ javaScriptEnabled: false });
    await fillIn(page);
    await pay(page);
    await heading(page, 'Check your phone');
    (await prompt()).approve();
    await heading(page, 'Paid. Asante!');
  });

  it('leaves the page of the order, opens it again, and sees the order as paid', async () => {
    const page = await browser.page();
    await fillIn(page);
    await pay(page);
    await heading(page, 'Check your phone');
    await page.getByRole('link', { name: 'Till' }).click();
    await heading(page, 'The till');
    (await prompt()).approve();
    await page
      .getByText(/^\s*Order \d+/)
      .first()
      .waitFor();
    await page.goBack();
    await heading(page, 'Paid. Asante!');
  });

  it('shares a payment link after a failure, and sees the order as paid when somebody has paid on its page', async () => {
    const page = await browser.page();
    await fillIn(page, { phone: '0700000002' });
    await pay(page);
    await page.getByRole('button', { name: 'Share a payment link' }).click();
    await heading(page, 'Share the payment link');
    const url = await page.getByLabel('Payment link').inputValue();
    const friend = await browser.page();
    await friend.goto(url);
    await friend.getByLabel('Your phone number').fill('+254700000001');
    await friend.getByRole('button', { name: 'Pay' }).click();
    await friend.getByText('Paid: reference').waitFor();
    await heading(page, 'Paid. Asante!');
  });

  it('sees an error page for an order that does not exist', async () => {
    const page = await browser.page();
    const answer = await page.goto(`${shop.url}/orders/${'0'.repeat(32)}`);
    await heading(page, 'There is nothing here');
    expect(answer!.status()).toBe(404);
  });
});

/** Opens the page of suppliers, and fills in its form. */
async function fillInPayout(page: Page, amount: string): Promise<void> {
  await page.goto(shop.url);
  await page.getByRole('link', { name: 'Suppliers', exact: true }).click();
  await page.getByLabel('Supplier', { exact: true }).fill('Flour Ltd');
  await page.getByLabel('Phone number').fill('0700000061');
  await page.getByLabel('Amount in KES').fill(amount);
  await page.getByLabel('Your name').fill('Jane');
}

const paySupplier = 'Pay the supplier';

describe('a shopkeeper', () => {
  it('refunds an order after a confirmation, and sees it as refunded', async () => {
    const page = await browser.page();
    await fillIn(page, { phone: '0700000061' });
    await pay(page);
    await heading(page, 'Paid. Asante!');
    await page.getByRole('link', { name: 'Refund this order' }).click();
    await page.getByText('+254 7•• ••• 061').waitFor();
    await page.getByRole('button', { name: 'Refund KES 650' }).click();
    await heading(page, 'Refunded');
    expect(shop.simulator.balance('mobile_wallet:+254700000061')).toBe(65_000);
  });

  it('presses the button to pay a supplier twice, pays once, and finds the money on the phone', async () => {
    const page = await browser.page();
    await fillInPayout(page, '250');
    await page.getByRole('button', { name: paySupplier }).dblclick();
    await page.getByRole('cell', { name: 'Paid', exact: true }).waitFor();
    await shop.simulator.idle();
    expect(shop.simulator.balance('mobile_wallet:+254700000061')).toBe(25_000);
    await page.getByRole('link', { name: 'The phone', exact: true }).click();
    await page.getByText('250').first().waitFor();
  });
});

/** Adds what is wrong with a page to `found`. */
async function checkPage(page: Page, name: string, found: string[]): Promise<void> {
  for (const violation of await browser.violations(page)) found.push(`${name}: ${violation}`);
  const isTooWide = await page.evaluate<boolean>(
    'document.documentElement.scrollWidth > document.documentElement.clientWidth',
  );
  if (isTooWide) found.push(`${name}: wider than the screen`);
}

describe.each(SCREENS)('every page on $screen', ({ options }) => {
  it('is accessible and fits the width of the screen', async () => {
    const page = await browser.page({ ...options, reducedMotion: 'reduce' });
    const found: string[] = [];
    const check = (name: string): Promise<void> => checkPage(page, name, found);
    await page.goto(shop.url);
    await check('start');
    await page.goto(`${shop.url}/till`);
    await check('empty till');
    await page.goto(`${shop.url}/nothing-here`);
    await check('not found');
    await fillIn(page, { name: 'A'.repeat(80), phone: '07' });
    await check('checkout');
    await pay(page);
    await page.getByText('This is not a valid phone number').waitFor();
    await check('checkout with a wrong number');
    await page.getByLabel('Phone number').fill(PERSON);
    await pay(page);
    await heading(page, 'Check your phone');
    await check('waiting');
    (await prompt()).cancel();
    await heading(page, 'The payment did not go through');
    await check('failed');
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Check your phone');
    (await prompt()).approve();
    await heading(page, 'Paid. Asante!');
    await check('paid');
    await page.goto(`${shop.url}/till`);
    await page.getByText('SMS sent').waitFor();
    await check('till');
    expect(found).toEqual([]);
  });

  it('for money out and payment links is accessible and fits the width of the screen', async () => {
    const page = await browser.page({ ...options, reducedMotion: 'reduce' });
    const found: string[] = [];
    const check = (name: string): Promise<void> => checkPage(page, name, found);
    await fillInPayout(page, '9000');
    await check('suppliers');
    await page.getByRole('button', { name: paySupplier }).click();
    await page.getByText('The shop pays at most').waitFor();
    await check('too much money');
    await page.getByLabel('Amount in KES').fill('1000');
    await page.getByRole('button', { name: paySupplier }).click();
    await page.getByRole('link', { name: 'Approve' }).click();
    // The form of a payout has a field of this name too.
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.getByLabel('Your name').fill('Jane');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('another person must approve it').waitFor();
    await check('approval');
    await page.getByLabel('Your name').fill('Peter');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('cell', { name: 'Paid', exact: true }).waitFor();
    await check('payouts');
    await fillIn(page, { phone: '0700000002' });
    await pay(page);
    await page.getByRole('button', { name: 'Share a payment link' }).click();
    await page.getByLabel('Payment link').waitFor();
    await check('payment link');
    await fillIn(page, { phone: '0700000061' });
    await pay(page);
    await page.getByRole('link', { name: 'Refund this order' }).click();
    await page.getByRole('button', { name: 'Refund KES 650' }).waitFor();
    await check('refund');
    await page.getByRole('button', { name: 'Refund KES 650' }).click();
    await heading(page, 'Refunded');
    await check('refunded');
    expect(found).toEqual([]);
  });
});
