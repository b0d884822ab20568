import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import { MemoryStore, OnPaymentEvent, type PaymentsEvents } from '@tillkit/payments';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { Merchant } from '../support/merchant.js';
import { PLATFORMS, type Platform } from '../support/platforms.js';
import { TestBrowser } from './browser.fixture.js';

const FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'images');

/** Makes the screenshots of the documentation if SCREENSHOTS=1. */
const describeWhenAsked = process.env['SCREENSHOTS'] ? describe : describe.skip;

jest.setTimeout(300_000);

const SCREENS = [
  { screen: 'desktop', options: { viewport: { width: 1200, height: 800 } } },
  {
    screen: 'phone-dark',
    options: {
      viewport: { width: 360, height: 740 },
      isMobile: true,
      deviceScaleFactor: 2,
      colorScheme: 'dark',
    },
  },
] as const;

const [onExpress] = PLATFORMS as [Platform, Platform];

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
  let browser: TestBrowser;
  let merchant: Merchant;
  let url: string;
  let telling: string;

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

  beforeAll(async () => {
    await mkdir(FOLDER, { recursive: true });
    browser = await TestBrowser.launch();
    const day = new BusyDay();
    merchant = await Merchant.open({
      platform: onExpress,
      providers: [OrdersListener, LoyaltyListener],
      payments: {
        store: new MemoryStore(day.now),
        listeners: { retryScheduleMs: [2_000, 5_000] },
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
    for (let n = 0; n < PAYMENTS; n += 1) {
      if (n % 11 === 5) merchant.simulator.faults.once('lose');
      await ask(n, ENDS[n % ENDS.length]!, n === 60 ? { member: 'gone' } : {});
      // More at noon than at night.
      const hour = (n / PAYMENTS) * 2 * Math.PI;
      day.jump((DAY_MS / PAYMENTS) * (1 + 0.8 * Math.cos(hour)) * 0.9);
    }
    const webhook = webhookBody({}, { topic: 'settlement_transfer_scheduled' });
    await deliverSigned(merchant.webhookUrl, webhook, merchant.simulator.apiKey);
    merchant.simulator.faults.once('lose');
    telling = await ask(PAYMENTS, '01', { parcel: 'late' });
    await merchant.received.next('delivery.unrecognised');
    while (
      !(await (await fetch(`${url}/payments/${telling}`)).text()).includes(
        'OrdersListener.pack completed',
      )
    ) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    day.end();
    await merchant.payments.request({
      idempotencyKey: `order-${20_482 + PAYMENTS}`,
      subscriber: { firstName: 'Wanjiru', lastName: 'Kamau', phoneNumber: '+254700000014' },
      amount: { currency: 'KES', value: '650.00' },
    });
  });

  afterAll(async () => {
    await merchant.close();
    await browser.close();
  });

  it.each(SCREENS)('are made on a $screen', async ({ screen, options }) => {
    // Screenshots without animations.
    const page = await browser.page({ ...options, reducedMotion: 'reduce' });
    const picture = (name: string, fullPage = false): Promise<unknown> =>
      page.screenshot({ path: join(FOLDER, `dashboard-${name}-${screen}.png`), fullPage });
    const visit = async (path: string, name: string, fullPage = false): Promise<void> => {
      await page.goto(`${url}/${path}`);
      await picture(name, fullPage);
    };
    await page.goto(`${url}/overview`);
    await page.locator('[data-drawn]').waitFor();
    await picture('overview', true);
    await visit('payments', 'payments');
    await visit(`payments/${telling}`, 'payment', true);
    await visit('transactions', 'till');
    await visit('deliveries', 'inbox');
    await visit('dead-letters', 'dead-letters');
    await visit('anomalies', 'anomalies');
    await visit('sending', 'sending');
    await page.goto(`${url}/deliveries?state=unrecognised`);
    await page.locator('.list a').first().click();
    await page.getByRole('heading', { name: 'Body' }).waitFor();
    await picture('delivery');
    await page.goto(`${url}/reconciliation`);
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('heading', { name: /^Matched/ }).waitFor();
    await picture('reconciliation');
    expect(await page.title()).toContain('Reconciliation');
  });
});
