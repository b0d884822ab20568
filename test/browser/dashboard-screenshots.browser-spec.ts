import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import {
  MemoryStore,
  OnPaymentEvent,
  WebhookSubscriptionsService,
  type PaymentsEvents,
} from '@tillkit/payments';
import type { Page } from 'playwright-core';
import { DashboardVisitor } from '../support/dashboard.visitor.js';
import { deliverSigned, resultBody, webhookBody } from '../support/deliver.js';
import { wordsOfPage } from '../support/page.form.js';
import { aPayout, aWallet, Merchant } from '../support/merchant.js';
import { TestBrowser } from './browser.fixture.js';

const ROOT = join(import.meta.dirname, '..', '..');

/** Pictures that documents show, and all others. */
const DOCUMENTS = join(ROOT, 'docs', 'images');
const FOLDER = join(ROOT, 'dist', 'screenshots');
const DOCUMENTED = new Set(['dashboard-overview-desktop.png', 'dashboard-payment-desktop.png']);

/** Makes the screenshots of the documentation if SCREENSHOTS=1. */
const describeWhenAsked = process.env['SCREENSHOTS'] ? describe : describe.skip;

/** One page of the dashboard, and what is done on it before its picture. */
interface Shown {
  name: string;
  path: string;
  /** The whole page, and not only what is seen without scrolling. */
  isWhole?: boolean;
  ready?: (page: Page) => Promise<void>;
}

const DESKTOP = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, deviceScaleFactor: 2 };

const SCREENS = [
  { screen: 'desktop', options: DESKTOP },
  { screen: 'desktop-dark', options: { ...DESKTOP, colorScheme: 'dark' } },
  { screen: 'phone', options: PHONE },
  { screen: 'phone-dark', options: { ...PHONE, colorScheme: 'dark' } },
] as const;

const NAMES = [
  ['Wanjiru', 'Kamau'],
  ['Otieno', 'Ouma'],
  ['Amina', 'Yusuf'],
  ['Kiprono', 'Cheruiyot'],
  ['Grace', 'Nakato'],
  ['Njoroge', 'Mwangi'],
  ['Halima', 'Abdi'],
] as const;

/** Scenarios of the customers, by the last two digits of their numbers. */
const ENDS = ['01', '01', '01', '02', '01', '01', '04', '01', '01', '03', '01', '01', '08', '01'];

const DAY_MS = 86_400_000;
const PAYMENTS = 130;

/** Simulates a day in seconds: its clock runs fast, and jumps from one customer to the next. */
class BusyDay {
  private readonly startedAt = Date.now();
  private jumped = -DAY_MS + 1_800_000;
  private speed = 150;

  readonly now = (): number => {
    const passed = (Date.now() - this.startedAt) * this.speed;
    return Math.min(this.startedAt + this.jumped + passed, Date.now());
  };

  jump(ms: number): void {
    this.jumped += ms;
  }

  end(): void {
    this.jumped = 0;
    this.speed = 1;
  }
}

@Injectable()
class OrdersListener {
  private readonly calls = new Map<string, number>();

  @OnPaymentEvent('payment.succeeded', { id: 'OrdersListener.pack' })
  pack({ payment }: PaymentsEvents['payment.succeeded']): void {
    const call = (this.calls.get(payment.id) ?? 0) + 1;
    this.calls.set(payment.id, call);
    if (payment.metadata?.['parcel'] === 'late' && call < 3)
      throw new Error('the printer is out of paper');
  }
}

@Injectable()
class LoyaltyListener {
  @OnPaymentEvent('payment.succeeded', { id: 'LoyaltyListener.addPoints' })
  addPoints({ payment }: PaymentsEvents['payment.succeeded']): void {
    if (payment.metadata?.['member'] === 'gone') throw new Error('member 4711 does not exist');
  }
}

describeWhenAsked('screenshots of the dashboard', () => {
  const browser = new TestBrowser();
  let merchant: Merchant;
  let url: string;
  let telling: string;
  let payout: string;
  let waiting: string;
  let refund: string;
  let link: string;

  /** Requests a payment from a customer, and waits until it is settled. */
  async function ask(
    n: number,
    digits: string,
    metadata: Record<string, string> = {},
  ): Promise<string> {
    const [firstName, lastName] = NAMES[n % NAMES.length]!;
    const { id } = await merchant.payments.request({
      idempotencyKey: `order-${20_480 + n}`,
      subscriber: { firstName, lastName, phoneNumber: `+254700000${n % 10}${digits}` },
      amount: { currency: 'KES', value: `${(n % 9) * 130 + 250}.00` },
      metadata: { order: String(20_480 + n), ...metadata },
    });
    await merchant.payments.settled(id);
    return id;
  }

  /** The platform says that a payment failed, and then the customer pays. */
  async function paidAfterFailure(): Promise<void> {
    const phoneNumber = '+254700000114';
    const { id, platformId } = await merchant.payments.request({
      idempotencyKey: `order-${20_482 + PAYMENTS}`,
      subscriber: { firstName: 'Halima', lastName: 'Abdi', phoneNumber },
      amount: { currency: 'KES', value: '1900.00' },
    });
    const callback = `${merchant.url}/payments/callbacks/incoming-payments/${id}`;
    const failed = { status: 'Failed', event: { type: 'x', resource: null, errors: ['no'] } };
    const body = resultBody(platformId as string, callback, failed, null);
    await deliverSigned(callback, body, merchant.simulator.apiKey);
    await merchant.payments.settled(id);
    merchant.simulator.handset(phoneNumber).approve();
    await merchant.received.next('payment.needs_review');
  }

  beforeAll(async () => {
    await mkdir(FOLDER, { recursive: true });
    const day = new BusyDay();
    let refunded = '';
    merchant = await Merchant.open({
      simulator: { openingBalances: { '514459': 100_000 } },
      providers: [OrdersListener, LoyaltyListener],
      payments: {
        store: new MemoryStore(day.now),
        listeners: { retryScheduleMs: [2_000, 5_000] },
        payouts: { limits: { KES: { approveFrom: '1000', perPayout: '5000', perDay: '9000' } } },
        reconciliation: { intervalMs: 20, sweepEveryMs: 0, requestsPerSecond: 1_000 },
      },
      imports: [
        PaymentsDashboardModule.forRoot({
          unguarded: 'anyone may see every payment',
          unguardedActions: 'anyone may move money',
          operator: () => 'jane@shop.example',
          timeZone: 'Africa/Nairobi',
        }),
      ],
    });
    url = `${merchant.url}/payments-dashboard`;
    const subscriptions = merchant.app.get(WebhookSubscriptionsService);
    for (const eventType of [
      'buygoods_transaction_received',
      'buygoods_transaction_reversed',
    ] as const)
      await subscriptions.create({ eventType, scope: 'till', scopeReference: '514459' });
    for (let n = 0; n < PAYMENTS; n += 1) {
      if (n % 11 === 5) merchant.simulator.faults.once('lose');
      const id = await ask(n, ENDS[n % ENDS.length]!, n === 60 ? { member: 'gone' } : {});
      if (n === 1) refunded = id;
      // Customers buy more at noon than at night.
      const hour = (n / PAYMENTS) * 2 * Math.PI;
      day.jump((DAY_MS / PAYMENTS) * (1 + 0.8 * Math.cos(hour)) * 0.9);
    }
    const webhook = webhookBody({}, { topic: 'settlement_transfer_scheduled' });
    await deliverSigned(merchant.webhookUrl, webhook, merchant.simulator.apiKey);
    merchant.simulator.faults.once('lose');
    telling = await ask(PAYMENTS, '01', { parcel: 'late' });
    await merchant.received.next('delivery.unrecognised');
    await paidAfterFailure();
    const visitor = new DashboardVisitor(url);
    for (let words = ''; !words.includes('OrdersListener.pack completed');) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      words = wordsOfPage((await visitor.get(`/payments/${telling}`)).text);
    }
    day.end();
    await merchant.payments.request({
      idempotencyKey: `order-${20_483 + PAYMENTS}`,
      subscriber: { firstName: 'Wanjiru', lastName: 'Kamau', phoneNumber: '+254700000014' },
      amount: { currency: 'KES', value: '650.00' },
    });
    ({ id: payout } = await merchant.payouts.request(
      aPayout({ idempotencyKey: 'wages-2026-47', requestedBy: 'jane@shop.example' }),
    ));
    await merchant.payouts.settled(payout);
    ({ id: waiting } = await merchant.payouts.request(
      aPayout({
        idempotencyKey: 'flour-2026-11',
        destinations: [aWallet('+254700000001', '1250.00'), aWallet('+254700000021', '400.00')],
        requestedBy: 'peter@shop.example',
      }),
    ));
    ({ id: refund } = await merchant.refunds.request({
      idempotencyKey: 'returned-20485',
      paymentId: refunded,
      why: 'The customer returned the goods.',
      requestedBy: 'jane@shop.example',
    }));
    await merchant.refunds.settled(refund);
    ({ id: link } = await merchant.links.request({
      idempotencyKey: 'invoice-311',
      amount: { currency: 'KES', value: '4300.00' },
      paymentReference: 'Invoice 311',
      note: 'Catering on Friday',
      requestedBy: 'jane@shop.example',
    }));
  });

  afterAll(() => merchant.close());

  /** Returns every page, with what it shows of this merchant. Those that a document shows have the screen `desktop` of `DOCUMENTED`. */
  async function pages(): Promise<Shown[]> {
    const idsOf = async (path: string): Promise<string[]> => {
      const { text } = await new DashboardVisitor(url).get(path);
      return [...text.matchAll(/href="[^"]*?([\w-]{36})"/g)].map(([, id]) => id as string);
    };
    const first = async (path: string): Promise<string> => (await idsOf(path))[0] as string;
    const paid = (await merchant.payments.find(telling))!.transaction!;
    const money = `till=${paid.tillNumber}&reference=${paid.reference}`;
    const failed = await first('/payments?state=failed');
    const inReview = await first('/payments?state=needs_review');
    const today = new Date().toISOString().slice(0, 10);
    const unknown = await first('/deliveries?state=unrecognised');
    return [
      { name: 'overview', path: 'overview', isWhole: true, ready: drawn },
      { name: 'overview-today', path: 'overview?period=today', isWhole: true, ready: drawn },
      { name: 'overview-nothing', path: 'overview?from=2020-01-01&to=2020-01-07', isWhole: true },
      { name: 'totals', path: 'totals?period=7d', isWhole: true },
      { name: 'statement', path: `statement?day=${today}`, isWhole: true },
      {
        name: 'statement-compared',
        path: `statement?day=${today}`,
        isWhole: true,
        ready: compared,
      },
      { name: 'payments', path: 'payments' },
      { name: 'payments-filter', path: 'payments?state=failed&amountFrom=300', ready: filterOpen },
      { name: 'payments-none', path: 'payments?key=nothing' },
      { name: 'payments-problem', path: 'payments?from=yesterday', isWhole: true },
      { name: 'find', path: 'payments', ready: (page) => find(page, 'Wanjiru'), isWhole: true },
      { name: 'find-nothing', path: 'payments', ready: (page) => find(page, 'Zzyzx') },
      { name: 'payment', path: `payments/${telling}`, isWhole: true },
      { name: 'payment-failed', path: `payments/${failed}`, isWhole: true },
      { name: 'payment-in-review', path: `payments/${inReview}`, isWhole: true },
      { name: 'payment-raw', path: `payments/${telling}`, isWhole: true, ready: opened },
      { name: 'till', path: 'transactions' },
      { name: 'till-unmatched', path: 'transactions?state=unmatched' },
      { name: 'transaction', path: `transaction?${money}`, isWhole: true },
      { name: 'deliveries', path: 'deliveries' },
      { name: 'delivery', path: `deliveries/${unknown}`, isWhole: true },
      { name: 'dead-letters', path: 'dead-letters', isWhole: true },
      { name: 'anomalies', path: 'anomalies', isWhole: true },
      { name: 'sending', path: 'sending', isWhole: true },
      { name: 'reconciliation', path: 'reconciliation', isWhole: true },
      { name: 'reconciliation-compared', path: 'reconciliation', isWhole: true, ready: matched },
      { name: 'payouts', path: 'payouts' },
      { name: 'payout-form', path: 'payouts/new', isWhole: true },
      { name: 'payout-form-problems', path: 'payouts/new', isWhole: true, ready: sent },
      { name: 'payout', path: `payouts/${payout}`, isWhole: true },
      { name: 'payout-waits', path: `payouts/${waiting}`, isWhole: true },
      { name: 'payout-approval', path: `payouts/${waiting}/approve`, isWhole: true },
      { name: 'refunds', path: 'refunds' },
      { name: 'refund-form', path: `refunds/new?payment=${telling}`, isWhole: true },
      { name: 'refund', path: `refunds/${refund}`, isWhole: true },
      { name: 'payment-links', path: 'payment-links' },
      { name: 'link-form', path: 'payment-links/new', isWhole: true },
      { name: 'link', path: `payment-links/${link}`, isWhole: true },
      { name: 'link-cancel', path: `payment-links/${link}/cancel`, isWhole: true },
      { name: 'not-found', path: 'payments/nothing' },
      { name: 'invalid', path: 'overview?from=yesterday' },
    ];
  }

  it.each(SCREENS)('are made on $screen', async ({ screen, options }) => {
    // A picture of an animation would differ each time.
    const page = await browser.page({ ...options, reducedMotion: 'reduce' });
    for (const { name, path, isWhole = false, ready } of await pages()) {
      await page.goto(`${url}/${path}`);
      await ready?.(page);
      const file = `dashboard-${name}-${screen}.png`;
      const isDocumented = DOCUMENTED.has(file);
      await page.screenshot({
        path: join(isDocumented ? DOCUMENTS : FOLDER, file),
        fullPage: isWhole,
      });
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      expect({ name, isWide }).toEqual({ name, isWide: false });
    }
  });
});

const drawn = (page: Page): Promise<void> => page.locator('[data-drawn]').first().waitFor();

async function compared(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Compare' }).click();
  await page
    .getByRole('heading', { name: /platform/i })
    .first()
    .waitFor();
}

async function matched(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('heading', { name: /^Matched/ }).waitFor();
}

const filterOpen = (page: Page): Promise<void> => page.locator('details.filter summary').click();

async function find(page: Page, words: string): Promise<void> {
  await page.keyboard.press('/');
  await page.keyboard.type(words);
  await page.keyboard.press('Enter');
  await page.waitForURL(/find/);
}

/** Opens everything that is closed. */
async function opened(page: Page): Promise<void> {
  await page.evaluate(
    `document.querySelectorAll('details').forEach((one) => { one.open = true; })`,
  );
}

async function sent(page: Page): Promise<void> {
  await page.locator('main form button:not([name])').last().click();
  await page.locator('.field-error').first().waitFor();
}
