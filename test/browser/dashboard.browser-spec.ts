import { readFile } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import { OnPaymentEvent } from '@tillkit/payments';
import type { Page } from 'playwright-core';
import { OpenShop, TestDirectory } from '../../sample-app/test/shop.fixture.js';
import { deliver, deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequest, aRequestFrom, Merchant } from '../support/merchant.js';
import { SCREENS, TestBrowser } from './browser.fixture.js';

/** The handset scenario: the prompt waits for a person. */
const PERSON = '0700000014';
const PERSONS_PHONE = '+254700000014';

const browser = new TestBrowser();

const heading = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor();

/** Reloads a page until it contains a text, because the change happens in the application. */
async function loadUntil(page: Page, text: string): Promise<void> {
  while ((await page.getByText(text).count()) === 0) await page.reload();
}

/** Types a text into the search field that is on every page. */
async function find(page: Page, words: string): Promise<void> {
  await page
    .getByRole('searchbox', { name: 'Phone, receipt, order number, amount or name' })
    .fill(words);
  await page.keyboard.press('Enter');
}

describe('an operator with the dashboard', () => {
  let shop: OpenShop;
  let directory: TestDirectory;

  beforeAll(async () => {
    directory = await TestDirectory.create();
  });

  afterAll(() => directory.remove());

  beforeEach(async () => {
    // The first status read is immediate, so that no test waits twenty seconds for it.
    shop = await OpenShop.open({
      directory,
      reconciliation: { scheduleMs: [100, 200, 500] },
    });
  });

  afterEach(() => shop.close());

  /** Orders coffee, until the prompt is sent. */
  async function buy(page: Page, phone: string, name = 'Wanjiru Kamau'): Promise<void> {
    await page.goto(shop.url);
    await page.getByRole('link', { name: 'Nyeri coffee' }).click();
    await page.getByLabel('Your name').fill(name);
    await page.getByLabel('Phone number').fill(phone);
    await page.getByRole('button', { name: 'Pay KES 650' }).click();
  }

  /** Returns the customer's phone with the prompt. */
  async function ringing(): Promise<Page> {
    const phone = await browser.page();
    await phone.goto(`${shop.simulator.url}/?phone=${PERSONS_PHONE}`);
    await phone.getByRole('heading', { name: 'Pay KES' }).waitFor();
    return phone;
  }

  /** Opens the timeline of the customer's only payment: from the start page of the shop, by phone number. */
  async function timelineOf(phone: string): Promise<Page> {
    const page = await browser.page();
    await page.goto(shop.url);
    await page.getByRole('link', { name: 'The dashboard' }).click();
    await find(page, phone);
    await heading(page, 'Payments');
    await page.getByRole('row').nth(1).getByRole('link').click();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    return page;
  }

  it('finds a customer’s payment by phone number, and sees its timeline', async () => {
    const customer = await browser.page();
    await buy(customer, PERSON);
    const phone = await ringing();
    await phone.getByRole('button', { name: 'Right PIN' }).click();
    await heading(customer, 'Paid. Asante!');

    const page = await timelineOf('0700 000 014');
    expect(page.url()).not.toContain('700000014');
    const steps = page.getByRole('listitem');
    for (const step of [
      'Recorded by request',
      'Sending to the platform by request',
      'Accepted by the platform: the phone shows the prompt by request',
      // A read may be faster than the callback.
      /Paid by (callback|status)/,
      /Event payment.succeeded by (callback|status)/,
    ]) {
      await steps.filter({ hasText: step }).waitFor();
    }
    await loadUntil(page, 'OrdersListener.packOrder completed');
    expect(await page.getByText('Wanjiru Kamau').count()).toBe(1);
    expect(await page.getByText('+254 700 000 014').count()).toBe(0);
    await page.getByRole('button', { name: 'Show the number' }).click();
    await page.getByText('+254 700 000 014').waitFor();

    const [transaction] = shop.simulator.transactions();
    await page.getByRole('link', { name: transaction!.reference! }).click();
    await page.getByText('Event till.transaction.received').waitFor();
  });

  it('sees that a customer cancelled the payment', async () => {
    const customer = await browser.page();
    await buy(customer, PERSON);
    const phone = await ringing();
    await phone.getByRole('button', { name: 'Cancel' }).click();
    await heading(customer, 'The payment did not go through');
    const page = await timelineOf(PERSON);
    await page.getByText('Reason: cancelled on the phone.').waitFor();
    await page
      .getByRole('listitem')
      // A read may be faster than the callback.
      .filter({ hasText: /^\s*Failed by (callback|status)/ })
      .waitFor();
  });

  it('sees that a customer did not answer the prompt', async () => {
    const customer = await browser.page();
    await buy(customer, PERSON);
    await ringing();
    const control = await browser.page();
    await control.goto(shop.simulator.url);
    await control.getByRole('button', { name: '+1 day' }).click();
    await heading(customer, 'The payment did not go through');
    const page = await timelineOf(PERSON);
    await page.getByText('Reason: not answered in time.').waitFor();
  });

  it('sees that a payment succeeded after its callback was lost', async () => {
    const control = await browser.page();
    await control.goto(shop.simulator.url);
    await control.getByLabel('Fault', { exact: true }).selectOption('lose');
    await control.getByLabel('Only', { exact: true }).selectOption({ label: 'callbacks' });
    await control.getByRole('button', { name: 'Start' }).click();
    await control.getByText('The simulator injects lose with a probability of 100 %.').waitFor();

    const customer = await browser.page();
    await buy(customer, PERSON);
    const phone = await ringing();
    await phone.getByRole('button', { name: 'Right PIN' }).click();
    // A sweep may have lost the callback of its list as well.
    await control
      .getByText(/injected \d+×/)
      .first()
      .waitFor();
    await heading(customer, 'Paid. Asante!');

    const page = await timelineOf(PERSON);
    await page.getByRole('listitem').filter({ hasText: 'Paid by status read' }).waitFor();
    expect(await page.getByText('Paid by callback').count()).toBe(0);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page
      .getByRole('figure', { name: /Source of result/ })
      .getByText('Most often by status read.')
      .waitFor();
  });

  it('sees no trace of a forged delivery, because it changed nothing', async () => {
    const customer = await browser.page();
    await buy(customer, PERSON);
    await ringing();
    const before = await timelineOf(PERSON);
    const id = before.url().split('/').at(-1)!;
    const forged = { 'x-kopokopo-signature': '0'.repeat(64) };
    for (const url of ['webhooks', `callbacks/incoming-payments/${id}`]) {
      const { status } = await deliver(`${shop.url}/payments/${url}`, webhookBody(), forged);
      expect(status).toBe(401);
    }
    await before.reload();
    await before.locator('.title .state').getByText('pending').waitFor();
    await before.getByRole('link', { name: 'Deliveries' }).click();
    await before.getByText('No deliveries.').waitFor();
  });

  it('sees an error beside the field after typing an invalid phone number', async () => {
    const page = await browser.page();
    await page.goto(`${shop.url}/dashboard/payments`);
    await page.getByText('More filters').click();
    await page.getByLabel('Phone number').fill('07');
    await page.getByLabel('Beginning of the order number').fill('order-1');
    await page.keyboard.press('Enter');
    await page.getByText('This is not a phone number.').waitFor();
    expect(await page.getByLabel('Phone number').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Beginning of the order number').inputValue()).toBe('order-1');
    await find(page, 'nobody-knows-this');
    await heading(page, 'Nothing found');
  });

  it('sees each chart with a table of its numbers', async () => {
    for (const phone of ['0700000001', '0700000002', '0700000004']) await shop.buy({ phone });
    await shop.simulator.idle();
    const page = await browser.page({ reducedMotion: 'reduce' });
    await page.goto(`${shop.url}/dashboard/overview?period=7d`);
    await loadUntil(page, '2 failed');
    await page.locator('[data-drawn]').waitFor();
    for (const name of ['volume', 'rate', 'time', 'reasons', 'sources', 'deliveries']) {
      const ink = await page.locator(`[data-figure=${name}] canvas`).evaluate((canvas) => {
        const { width, height } = canvas as unknown as { width: number; height: number };
        const { data } = (
          canvas as unknown as {
            getContext(kind: '2d'): {
              getImageData(x: number, y: number, w: number, h: number): { data: Uint8ClampedArray };
            };
          }
        )
          .getContext('2d')
          .getImageData(0, 0, width, height);
        return data.filter((value, place) => place % 4 === 3 && value > 0).length;
      });
      expect({ name, isDrawn: ink > 200 }).toEqual({ name, isDrawn: true });
    }
    const reasons = page.locator('#figure-reasons');
    await reasons.getByText('Numbers').click();
    await reasons.getByRole('row', { name: 'insufficient funds 1' }).waitFor();
  });

  it('sees every number without JavaScript', async () => {
    await shop.buy();
    await shop.simulator.idle();
    const page = await browser.page({ javaScriptEnabled: false });
    await page.goto(`${shop.url}/dashboard`);
    await loadUntil(page, '1 paid');
    const sources = page.locator('#figure-sources');
    await sources.getByText('Numbers').click();
    await sources.getByRole('row', { name: /^(callback|status read) 1$/ }).waitFor();
    await find(page, '0700000001');
    await page.getByRole('row').nth(1).getByRole('link').click();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  });

  it('compares the till with the platform, and downloads the CSV file', async () => {
    const order = await shop.buy();
    await shop.pageWith(order, 'Paid. Asante!');
    const page = await browser.page();
    await page.goto(`${shop.url}/dashboard/reconciliation`);
    await page.getByLabel('until before').fill('2126-01-01T00:00');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText('longer than 31 days').waitFor();
    await page.goBack();
    await page.reload();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('heading', { name: /^Matched/ }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^reconciliation-.*\.csv$/);
    expect(await readFile(await download.path(), 'utf8')).toMatch(/^\ufeff"list","reference",/);
  });

  it('sees hostile names as text, and no script runs', async () => {
    const page = await browser.page();
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const name = `<script>alert(1)</script><img src=x onerror="alert(2)"> \u202Ecod.exe`;
    await buy(page, '0700000001', name);
    await heading(page, 'Paid. Asante!');
    for (const path of ['payments', 'transactions', 'deliveries', 'overview']) {
      await page.goto(`${shop.url}/dashboard/${path}`);
    }
    await find(page, '0700000001');
    await page.getByText('<script>alert(1)</script>').first().waitFor();
    await page.getByRole('row').nth(1).getByRole('link').click();
    await page.getByText('<U+202E>cod.exe').first().waitFor();
    await page.getByRole('button', { name: 'Show the number' }).click();
    await page.getByText('+254 700 000 001').waitFor();
    expect(await page.locator('main script, main img').count()).toBe(0);
    expect(dialogs).toEqual([]);
  });
});

@Injectable()
class Stockroom {
  isOpen = false;

  @OnPaymentEvent('payment.succeeded', { id: 'Stockroom.pack' })
  pack(): void {
    if (!this.isOpen) throw new Error('the stockroom is closed');
  }
}

describe('an application with a listener that fails', () => {
  let merchant: Merchant;
  let url: string;

  beforeAll(async () => {
    merchant = await Merchant.open({
      providers: [Stockroom],
      payments: { listeners: { retryScheduleMs: [1] } },
      imports: [
        PaymentsDashboardModule.forRoot({
          unguarded: 'anyone may see every payment',
          unguardedActions: 'anyone may move money',
        }),
      ],
    });
    url = `${merchant.url}/payments-dashboard`;
    await merchant.payments.request(
      aRequest({
        idempotencyKey: `order-${'1'.repeat(100)}`,
        metadata: { ['key'.repeat(12)]: 'x'.repeat(10_000), '<b>': '"&' },
      }),
    );
    await merchant.payments.request(aRequestFrom('+254700000002'));
    const topic = 'tomorrow '.repeat(20);
    const body = webhookBody({}, { topic });
    await deliverSigned(merchant.webhookUrl, body, merchant.simulator.apiKey);
    await merchant.received.next('delivery.unrecognised');
  });

  afterAll(() => merchant.close());

  describe.each(SCREENS)('on $screen', ({ options }) => {
    it('has accessible pages that fit the width of the screen', async () => {
      const page = await browser.page({ ...options, reducedMotion: 'reduce' });
      const found: string[] = [];
      const check = async (name: string): Promise<void> => {
        for (const violation of await browser.violations(page)) found.push(`${name}: ${violation}`);
        const isTooWide = await page.evaluate<boolean>(
          'document.documentElement.scrollWidth > document.documentElement.clientWidth',
        );
        if (isTooWide) found.push(`${name}: wider than the screen`);
      };
      const visit = async (path: string): Promise<void> => {
        await page.goto(`${url}/${path}`);
        await check(path);
      };
      await page.goto(`${url}/dead-letters`);
      await loadUntil(page, 'the stockroom is closed');
      await check('dead letters');
      await page.goto(`${url}/overview?period=7d`);
      await page.locator('[data-drawn]').waitFor();
      for (const numbers of await page.getByText('Numbers').all()) await numbers.click();
      await check('overview');
      for (const path of [
        'totals',
        'statement',
        'payments?state=succeeded&amountFrom=1&from=2026-01-01',
        'transactions',
        'deliveries',
        'anomalies',
        'reconciliation',
        'sending',
        'payouts',
        'refunds',
        'payment-links',
        'payment-links/new',
        'lost',
      ]) {
        await visit(path);
      }
      await visit('payments');
      await page.getByText('More filters').click();
      await page.getByLabel('Phone number').fill('07');
      await page.keyboard.press('Enter');
      await page.getByText('This is not a phone number.').waitFor();
      await check('wrong search');
      await find(page, '0700000001');
      const link = page.getByRole('link', { name: /^order-111/ });
      await link.waitFor();
      await check('payments of a phone');
      await link.click();
      await page.getByRole('heading', { name: 'Timeline' }).waitFor();
      await page.getByText('Data from the platform').click();
      await check('payment');
      await page.getByRole('button', { name: 'Show the number' }).click();
      await page.getByText('+254 700 000 001').first().waitFor();
      await check('payment with its number');
      await page.getByRole('link', { name: 'Refund', exact: true }).click();
      await page.getByLabel('Reason').fill('the goods are out of stock');
      await check('refund');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: /^Refund KES/ }).waitFor();
      await check('refund to confirm');
      await page.goto(`${url}/payouts/new`);
      await page.getByLabel('Phone number').fill('12');
      // An equal payout would be refused for 10 minutes: each screen sends its own.
      const amount = options.viewport.width + options.colorScheme.length;
      await page.getByLabel('Amount', { exact: true }).fill(String(amount));
      await page.keyboard.press('Enter');
      await page.getByText('Write a mobile number').waitFor();
      await check('payout with problems');
      await page.getByLabel('Phone number').fill('0700000001');
      await page.getByLabel('Network').fill('Safaricom');
      await page.getByLabel('What the money is for').fill('wages');
      await page.getByRole('button', { name: 'Continue' }).last().click();
      await page.getByRole('button', { name: /^Pay KES / }).waitFor();
      await check('payout to confirm');
      await page.getByRole('button', { name: /^Pay KES / }).click();
      await page.getByRole('heading', { name: 'Timeline' }).waitFor();
      await check('payout');
      await page.goto(`${url}/deliveries?state=unrecognised`);
      await page.locator('.list a').first().click();
      await page.getByRole('heading', { name: 'Body' }).waitFor();
      await check('delivery');
      await page.goto(`${url}/transactions`);
      await page.locator('.list a').first().click();
      await page.getByRole('heading', { name: 'Timeline' }).waitFor();
      await check('transaction');
      await page.goto(`${url}/reconciliation`);
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.getByRole('heading', { name: /^Matched/ }).waitFor();
      await check('report');
      expect(found).toEqual([]);
    });
  });

  it('shows its dead letter, which an operator can replay with the keyboard alone', async () => {
    const page = await browser.page();
    await page.goto(`${url}/dead-letters`);
    await loadUntil(page, 'the stockroom is closed');
    await page.getByText('2', { exact: true }).first().waitFor();
    merchant.app.get(Stockroom).isOpen = true;
    await page.getByRole('button', { name: /Replay.*Stockroom\.pack/ }).focus();
    await page.keyboard.press('Enter');
    await page
      .getByRole('status')
      .getByText('The dispatcher will call the listener again.')
      .waitFor();
    await page.getByText('No dead letters.').waitFor();
    await find(page, `order-${'1'.repeat(100)}`);
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    await loadUntil(page, 'Stockroom.pack completed');
  });
});
