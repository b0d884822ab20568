import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { FAULTS, type FaultDescription, type FaultSetting } from '@tillkit/simulator';
import { until } from '../support/until.js';
import { startPlatform, type Platform } from '../../libs/simulator/src/testing/platform.fixture.js';
import { PlatformClient } from '../../libs/simulator/src/testing/platform-client.fixture.js';
import { SCREENS, TestBrowser } from './browser.fixture.js';

/** The handset scenario: the prompt waits for a person. */
const PERSON = '+254700000014';
const OTHER_PERSON = '+254700000114';
/** A merchant's name has at most 64 characters. */
const LONGEST_NAME = 'Kibanda-cha-Mama-Wanjiru-na-Watoto-Wake-Wote-wa-Nairobi-West-K7x';

const browser = new TestBrowser();
let platform: Platform;

beforeEach(async () => {
  platform = await startPlatform({ seed: 1 });
});

afterEach(() => platform.stop());

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.page(options);
  await page.goto(platform.simulator.url + path);
  return page;
}

const pay = (phone = PERSON, value = 650): Promise<string> =>
  platform.client.pay({ phone, value, callbackUrl: platform.receiver.url });

const phoneOf = (page: Page, phone = PERSON): Locator => page.getByRole('region', { name: phone });

/**
 * Makes a payment link.
 * @returns its id
 */
async function aLink(): Promise<string> {
  await platform.client.post('/api/v2/payment_links', {
    till_number: '514459',
    currency: 'KES',
    amount: 250,
    note: 'Shoes <b>',
    _links: { callback_url: platform.receiver.url },
  });
  await platform.simulator.idle();
  return platform.simulator.links()[0]!.linkId;
}

const status = (paymentId: string): string | undefined =>
  platform.simulator.charges().find((charge) => charge.paymentId === paymentId)?.status;

/** Waits until the page of a handset shows a prompt. */
async function ringing(page: Page, phone = PERSON): Promise<Locator> {
  const handset = phoneOf(page, phone);
  await handset.getByRole('heading', { name: 'Pay KES' }).waitFor();
  return handset;
}

/** True when the whole element is in the window, which nobody has scrolled. */
async function isAboveTheFold(page: Page, element: Locator): Promise<boolean> {
  const box = await element.boundingBox();
  const { width, height } = page.viewportSize()!;
  const isInside =
    box !== null &&
    box.x >= 0 &&
    box.y >= 0 &&
    box.x + box.width <= width &&
    box.y + box.height <= height;
  return isInside && (await page.evaluate<number>('scrollY')) === 0;
}

describe('a customer with a phone of 360 × 640', () => {
  const SMALL = { viewport: { width: 360, height: 640 }, isMobile: true } as const;

  it.each([
    { merchant: 'default', till: '514459', value: 650, amount: 'Pay KES 650.00?' },
    {
      merchant: LONGEST_NAME,
      till: '700007',
      value: 999_999_999,
      amount: 'Pay KES 999,999,999.00?',
    },
  ])(
    'sees $amount of $merchant, the PIN field, Cancel and Pay without scrolling',
    async ({ merchant, till, value, amount }) => {
      const { merchants } = platform.simulator;
      if (merchant !== 'default') merchants.add({ name: merchant, tillNumbers: [till] });
      const client = new PlatformClient(platform.simulator, merchants.get(merchant));
      await client.authenticate();
      const page = await open(`/?phone=${PERSON}`, SMALL);
      const handset = phoneOf(page);
      await live(page);
      await client.pay({ till, phone: PERSON, value, callbackUrl: platform.receiver.url });
      const prompt = handset.getByRole('form', { name: amount });
      await prompt.waitFor();
      const payee = merchant === 'default' ? `to till ${till}` : `to ${merchant}, till ${till}`;
      for (const [what, element] of Object.entries({
        amount: prompt.getByRole('heading', { name: amount }),
        payee: prompt.getByText(payee, { exact: true }),
        pin: prompt.getByLabel('PIN', { exact: true }),
        cancel: prompt.getByRole('button', { name: 'Cancel' }),
        pay: prompt.getByRole('button', { name: 'Pay', exact: true }),
      })) {
        expect({ what, isVisible: await isAboveTheFold(page, element) }).toEqual({
          what,
          isVisible: true,
        });
      }
    },
  );
});

describe('a customer with a handset', () => {
  it('types the PIN, and the payment succeeds', async () => {
    const page = await open(`/?phone=${PERSON}`);
    await live(page);
    const payment = await pay();
    const handset = await ringing(page);
    await handset.getByText('to till 514459', { exact: true }).waitFor();
    // The prompt has taken the focus: no mouse is needed.
    expect(await page.locator('[data-part=pin]:focus').count()).toBe(1);
    await page.keyboard.type('1234');
    await page.keyboard.press('Enter');
    await handset.getByText('You entered the PIN').first().waitFor();
    await platform.simulator.idle();
    expect(status(payment)).toBe('Success');
    expect(platform.arrivals()).toEqual(['Success']);
    expect(await page.locator('[data-handset]:focus').count()).toBe(1);
  });

  it('reads what to do when no prompt waits, and what was paid after paying', async () => {
    const page = await open(`/?phone=${PERSON}`);
    const handset = phoneOf(page);
    await live(page);
    await handset.getByText('Request a payment from this number').waitFor();
    await pay();
    await ringing(page);
    expect(await handset.getByText('No prompt is waiting').isVisible()).toBe(false);
    await handset.getByRole('button', { name: 'Pay', exact: true }).click();
    await handset.getByRole('status').getByText('Enter a PIN first.').waitFor();
    await page.keyboard.type('1234');
    await handset.getByRole('button', { name: 'Pay', exact: true }).click();
    await handset
      .getByText('You entered the PIN: KES 650.00 to till 514459', { exact: true })
      .waitFor();
    await handset.getByText('No prompt is waiting').waitFor();
  });

  it('types a wrong PIN, and the payment fails', async () => {
    const page = await open(`/?phone=${PERSON}`);
    const payment = await pay();
    const handset = await ringing(page);
    await handset.getByLabel('PIN', { exact: true }).fill('998');
    await handset.getByRole('button', { name: 'Pay', exact: true }).click();
    await handset.getByRole('status').getByText('Wrong PIN').waitFor();
    expect(status(payment)).toBe('Failed');
  });

  it('cancels the prompt, and the payment fails', async () => {
    const page = await open(`/?phone=${PERSON}`);
    const payment = await pay();
    const handset = await ringing(page);
    await handset.getByRole('button', { name: 'Cancel' }).click();
    await handset.getByRole('status').getByText('You cancelled').waitFor();
    expect(status(payment)).toBe('Failed');
  });

  it('sees the money of a refund as a message and as what the phone received', async () => {
    const page = await open(`/?phone=${PERSON}`);
    const handset = phoneOf(page);
    await live(page);
    const payment = { tillNumber: '514459', phoneNumber: PERSON, amount: 1_250 };
    const { reference } = await platform.simulator.payTill(payment);
    await platform.simulator.reverse(reference);
    await handset.getByText('You have received KES 1,250.00 from till 514459.').waitFor();
    await handset.getByText('Received: KES 1,250.00').waitFor();
  });

  it('pays into a till without a request, and the application gets a webhook', async () => {
    await platform.subscribe();
    const page = await open(`/?phone=${PERSON}`);
    await live(page);
    const handset = phoneOf(page);
    await handset.getByLabel('Amount', { exact: true }).fill('77');
    await page.keyboard.press('Enter');
    await handset.getByRole('status').getByText('Paid into till 514459: reference').waitFor();
    await until(() => platform.arrivals().includes('buygoods_transaction_received'));
    expect(platform.simulator.transactions()).toMatchObject([{ amount: 77, phoneNumber: PERSON }]);
  });

  it('pays a payment link once', async () => {
    const link = await aLink();
    const page = await open(`/links/${link}`);
    await page.getByRole('heading', { name: 'Pay KES 250.00' }).waitFor();
    await page.getByLabel('Your phone number').fill('0700');
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await announced(page, /is not a phone number/);
    await page.getByLabel('Your phone number').fill(PERSON);
    await page.keyboard.press('Enter');
    await announced(page, /^Paid: reference \w+\.$/);
    expect(platform.simulator.links()).toMatchObject([{ state: 'paid', phone: PERSON }]);
    await page.reload();
    await page.getByText('This link is paid.').waitFor();
    expect(await page.getByRole('button', { name: 'Pay', exact: true }).count()).toBe(0);
  });

  it('switches the phone off and on again', async () => {
    const page = await open(`/?phone=${PERSON}`);
    const handset = phoneOf(page);
    await handset.getByRole('button', { name: 'Switch off' }).click();
    await handset.getByRole('button', { name: 'Switch on' }).waitFor();
    const payment = await pay();
    await platform.simulator.clock.advance(5_000);
    expect(status(payment)).toBe('Failed');
    await handset.getByRole('button', { name: 'Switch on' }).click();
    await handset.getByRole('button', { name: 'Switch off' }).waitFor();
    await pay();
    await ringing(page);
  });

  it('has two phones, and each shows its own prompt', async () => {
    const page = await open('/');
    await page.getByLabel('Add a phone').fill('254 700 000 114');
    await page.keyboard.press('Enter');
    await phoneOf(page, OTHER_PERSON).waitFor();
    await live(page);
    const [first, second] = [await pay(PERSON, 100), await pay(OTHER_PERSON, 200)];
    const one = await ringing(page, PERSON);
    const two = await ringing(page, OTHER_PERSON);
    await two.getByText('Pay KES 200.00?').first().waitFor();
    await two.getByRole('button', { name: 'Right PIN' }).click();
    await two.getByRole('status').getByText('You entered the PIN').waitFor();
    expect(status(second)).toBe('Success');
    expect(status(first)).toBe('Pending');
    await one.getByRole('button', { name: 'Wrong PIN' }).click();
    await one.getByRole('status').getByText('Wrong PIN').waitFor();
    expect(status(first)).toBe('Failed');
  });

  it('reads an SMS with hostile text as text', async () => {
    const page = await open(`/?phone=${PERSON}`);
    const hostile = `<script>alert(1)</script><img src=x onerror=alert(2)>\u202ereversed ${'x'.repeat(10_000)}`;
    platform.simulator
      .handset(PERSON)
      .receive({ at: new Date().toISOString(), from: 'KIBANDA', text: hostile });
    const message = phoneOf(page).getByRole('listitem');
    await message.getByText('<script>alert(1)</script><img').waitFor();
    expect(await message.textContent()).toContain('<U+202E>reversed xxx');
    expect(await page.locator('main script, main img').count()).toBe(0);
  });
});

/** Returns the lines of the activity with this text, newest first. */
const lines = (page: Page, text: string): Locator =>
  page.getByRole('list', { name: 'Activity' }).locator('> li').filter({ hasText: text });

const announced = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByRole('status').and(page.locator('#status')).getByText(text).waitFor();

/** Waits until the page follows the simulator. */
const live = (page: Page): Promise<void> => announced(page, 'Live');

const atControl = async (options: BrowserContextOptions = {}): Promise<Page> => {
  const page = await open('/', options);
  await live(page);
  return page;
};

const activeFaults = (page: Page): Locator => page.getByRole('region', { name: 'Active faults' });

/** Chooses a fault in the form. */
const choose = (page: Page, kind: string): Promise<unknown> =>
  page.getByLabel('Fault', { exact: true }).selectOption(kind);

const settingOf = (kind: string): FaultSetting | undefined =>
  platform.simulator.faults.settings().find((setting) => setting.kind === kind);

describe('a developer with the page of the simulator', () => {
  it('sees requests and deliveries live, with their contents and without secrets', async () => {
    const page = await atControl();
    await pay('+254700000001');
    const request = lines(page, 'POST /api/v2/incoming_payments');
    await request.getByText('201').waitFor();
    await request.locator('summary').focus();
    await page.keyboard.press('Enter');
    const headers = request.getByLabel('Request, headers');
    await headers.waitFor();
    expect(await headers.textContent()).toContain('authorization: Bearer ***');
    expect(await request.getByLabel('Request, body').textContent()).toContain('"value": 650');
    expect(await request.getByLabel('Answer 201, headers').textContent()).toContain('location');
    const token = lines(page, 'POST /oauth/token');
    await token.locator('summary').click();
    expect(await token.getByLabel('Request, body').textContent()).toContain('client_secret=***');
    const { clientSecret } = platform.simulator;
    const activity = await page.locator('#activity').innerHTML();
    expect(activity).not.toContain(clientSecret);
    expect(activity).not.toContain(platform.client.token);
    await lines(page, 'callback incoming_payment').getByText('200').waitFor();
  });

  it('lets a prompt expire by moving the clock', async () => {
    const page = await atControl();
    const payment = await pay();
    await lines(page, 'prompt shown').waitFor();
    await page.getByRole('button', { name: '+1 min' }).click();
    await announced(page, 'The clock moved by 1 min');
    await lines(page, 'prompt answered').getByText('ignores').waitFor();
    expect(status(payment)).toBe('Failed');
    const before = platform.simulator.clock.now();
    await page.getByRole('button', { name: '+1 day' }).click();
    await announced(page, 'The clock moved by 1 day');
    expect(platform.simulator.clock.now() - before).toBeGreaterThanOrEqual(86_400_000);
  });

  it('loses a callback by a fault, sees it, and sends it again in several ways', async () => {
    const page = await atControl();
    await choose(page, 'lose');
    await page.getByLabel('Only', { exact: true }).selectOption({ label: 'callbacks' });
    await page.getByRole('button', { name: 'Start' }).click();
    await announced(page, 'The simulator injects lose with a probability of 100 %.');
    await pay('+254700000001');
    const lost = lines(page, 'delivery lost');
    await lost.waitFor();
    expect(platform.arrivals()).toEqual([]);
    await activeFaults(page).getByText('100 % · only callback · injected 1×').waitFor();

    await lost.locator('summary').click();
    const delivery = lost.getByRole('region', { name: 'This delivery' });
    await delivery.getByText('This callback: lost').waitFor();
    await delivery.getByRole('button', { name: 'Resend' }).click();
    await announced(page, 'Sent: answered 200.');
    expect(platform.arrivals()).toEqual(['Success']);
    await delivery.getByText('This callback: delivered').waitFor();
    const attempts = delivery.getByRole('listitem');
    const before = await attempts.count();
    await delivery.getByRole('button', { name: 'Duplicate' }).click();
    // The section is loaded again, and its choice with it.
    await attempts.nth(before).waitFor();
    expect(platform.arrivals()).toEqual(['Success', 'Success']);
    await delivery.getByLabel('Kind of damage').selectOption('truncate');
    await delivery.getByRole('button', { name: 'Corrupt' }).click();
    await delivery.getByText('· 200 · truncate').waitFor();
    expect(platform.arrivals()).toEqual(['Success', 'Success', 'unreadable']);

    await activeFaults(page).getByRole('button', { name: 'End lose' }).click();
    await announced(page, 'lose is off.');
    await activeFaults(page).waitFor({ state: 'hidden' });
    expect(settingOf('lose')?.rate).toBe(0);
    await pay('+254700000001');
    await lines(page, 'callback incoming_payment').nth(3).waitFor();
  });

  it('starts a fault at a rate with the keyboard, and ends all faults at once', async () => {
    const page = await atControl();
    await choose(page, 'lose');
    await page.getByLabel('Rate, %').fill('30');
    await page.keyboard.press('Enter');
    await announced(page, 'The simulator injects lose with a probability of 30 %.');
    platform.simulator.faults.rate('gzip', 0.5);
    platform.simulator.faults.once('token-5xx');
    await page.reload();
    await live(page);
    await activeFaults(page).getByText('token-5xx').waitFor();
    await page.getByRole('button', { name: 'End all' }).click();
    await announced(page, 'All faults are off.');
    expect(platform.simulator.faults.settings()).toEqual([]);
    await activeFaults(page).waitFor({ state: 'hidden' });
  });

  it('limits a fault to a resource and a phone', async () => {
    const page = await atControl();
    await choose(page, 'create-429');
    await page.getByLabel('Only for this phone').fill(PERSON);
    await page.getByLabel('Only', { exact: true }).selectOption('resource:incoming_payments');
    await page.getByRole('button', { name: 'Start' }).click();
    await announced(page, 'The simulator injects create-429');
    expect(settingOf('create-429')).toMatchObject({
      rate: 1,
      options: { retryAfter: 1 },
      match: { phone: PERSON, resource: 'incoming_payments' },
    });
  });

  it('keeps what is typed before the fields of a chosen fault have arrived', async () => {
    const page = await atControl();
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((done) => (arrive = done));
    await page.route('**/?*fault=create-429*', async (route) => {
      await arrived;
      await route.continue();
    });
    await choose(page, 'create-429');
    const phone = page.getByLabel('Only for this phone');
    await phone.fill(PERSON);
    arrive();
    await page.getByLabel('retryAfter').waitFor();
    expect(await phone.inputValue()).toBe(PERSON);
    expect(await page.locator('#fault-phone:focus').count()).toBe(1);
  });

  it('applies a fault once, and delays and drops a waiting delivery', async () => {
    const page = await atControl();
    await choose(page, 'delay');
    await page.getByRole('button', { name: 'Once' }).click();
    await activeFaults(page).getByText('1 pending').waitFor();
    await pay('+254700000001');
    const late = lines(page, 'delivery delayed');
    await late.first().locator('summary').click();
    const delivery = late.first().getByRole('region', { name: 'This delivery' });
    await delivery.getByText('This callback: waiting').waitFor();
    await delivery.getByRole('button', { name: 'Delay 1 h' }).click();
    await announced(page, 'Delayed by 1 h.');
    await page.getByRole('button', { name: '+1 min' }).click();
    await announced(page, 'The clock moved');
    expect(platform.arrivals()).toEqual([]);
    const first = late.last().getByRole('region', { name: 'This delivery' });
    await first.getByRole('button', { name: 'Drop' }).click();
    await announced(page, 'Dropped');
    await page.getByRole('button', { name: '+1 h' }).click();
    await announced(page, 'The clock moved');
    expect(platform.arrivals()).toEqual([]);
  });

  it('sets the parameters of a fault, and refuses one out of its range', async () => {
    const page = await atControl();
    await choose(page, 'duplicate');
    const copies = page.getByLabel('times', { exact: true });
    const times = (): number | undefined => settingOf('duplicate')?.options.times;
    await copies.fill('2');
    await page.getByRole('button', { name: 'Start' }).click();
    await announced(page, 'The simulator injects duplicate with a probability of 100 %.');
    expect(times()).toBe(2);
    await copies.fill('1000000');
    await page.getByRole('button', { name: 'Start' }).click();
    expect(await page.locator('input:invalid').count()).toBe(1);
    await pay('+254700000001');
    await until(() => platform.arrivals().length === 3);
    expect(times()).toBe(2);
    await page.getByRole('button', { name: 'End all' }).click();
    await announced(page, 'All faults are off.');

    await choose(page, 'delay');
    await page.getByLabel('ms', { exact: true }).fill('1000');
    await page.getByRole('button', { name: 'Once' }).click();
    await announced(page, 'The simulator injects delay once, at the next match.');
    await pay('+254700000001');
    await platform.simulator.clock.advance(1_000);
    await until(() => platform.arrivals().length === 4);
  });

  it('has the fields of every fault with its defaults, and says what it does', async () => {
    const page = await atControl();
    for (const [kind, fault] of Object.entries<FaultDescription>(FAULTS)) {
      await choose(page, kind);
      await page.locator('#fault-what').getByText(fault.summary.replaceAll('`', '')).waitFor();
      const fields = page.locator('.field').filter({ has: page.locator('[data-parameter]') });
      const names = (await fields.locator('label').allTextContents()).map((name) => name.trim());
      expect({ kind, names: names.toSorted() }).toEqual({
        kind,
        names: fault.parameters.toSorted(),
      });
      for (const [name, value] of Object.entries(fault.defaults)) {
        const field = page.getByLabel(name, { exact: true });
        const shown = typeof value === 'boolean' ? field.isChecked() : field.inputValue();
        expect(String(await shown)).toBe(String(value));
      }
    }
  });

  it('filters the activity', async () => {
    const page = await atControl();
    await pay('+254700000002');
    await pay('+254700000001');
    await lines(page, 'callback incoming_payment').nth(1).waitFor();
    await page.getByLabel('Search').fill('incoming_payments 254700000002');
    await page.getByText(/^1 of \d+ entries$/).waitFor();
    expect(await lines(page, '').filter({ visible: true }).count()).toBe(1);
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Show', { exact: true }).selectOption('attempt');
    await page.getByText(/^2 of \d+ entries$/).waitFor();
    expect(await lines(page, '').filter({ visible: true }).count()).toBe(2);
    await page.getByLabel('Show', { exact: true }).selectOption('problem');
    await page.getByText(/^0 of \d+ entries$/).waitFor();
  });

  it('sees a list with a maximum length, in which open entries stay open', async () => {
    const page = await atControl();
    const first = lines(page, 'POST /oauth/token');
    await first.locator('summary').click();
    for (let at = 0; at < 1_000; at++)
      platform.simulator.journal.note('noise', { detail: `${at}` });
    await lines(page, 'noise · 999').waitFor();
    expect(await lines(page, '').count()).toBeLessThanOrEqual(300);
    expect(await first.count()).toBe(1);
  });

  it('sees hostile names and bodies as text', async () => {
    const page = await atControl();
    const hostile = `<script>alert(1)</script><img src=x onerror=alert(2)>\u202egnp.exe`;
    await platform.client.pay({
      metadata: { [hostile.slice(0, 20)]: hostile + 'x'.repeat(10_000) },
    });
    await platform.client.post(`/api/v2/${encodeURIComponent(hostile)}`, hostile, {
      'x-hostile': '<img src=x onerror=alert(3)>',
    });
    await platform.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: PERSON,
      amount: 1,
      firstName: hostile,
    });
    platform.simulator.journal.note(hostile, { detail: hostile });
    await lines(page, '<script>alert(1)').first().waitFor();
    // Opens all entries at once, because new ones move the lines.
    await page.evaluate(
      'document.querySelectorAll("main details").forEach((d) => (d.open = true))',
    );
    await page.getByLabel('Request, body').filter({ hasText: '<U+202E>gnp.exe' }).first().waitFor();
    expect(await page.locator('main script, main img').count()).toBe(0);
  });
});

/** A name that would break a page: markup, a change of direction, and a word that is too long for a line. */
const HOSTILE = `<img src=x onerror=alert(1)>\u202egnp.exe "'${'W'.repeat(200)}`;

/** Returns the problems of a page in its present state. */
async function faultsOf(page: Page, name: string): Promise<string[]> {
  const found = (await browser.violations(page)).map((violation) => `${name}: ${violation}`);
  const isTooWide = await page.evaluate<boolean>(
    'document.documentElement.scrollWidth > document.documentElement.clientWidth',
  );
  return isTooWide ? [...found, `${name}: wider than the screen`] : found;
}

describe('a developer with two merchants', () => {
  beforeEach(async () => {
    platform.simulator.merchants.add({ name: 'shop-7', tillNumbers: ['700007'] });
  });

  const payTill = (tillNumber: string, lastName: string) =>
    platform.simulator.payTill({ tillNumber, phoneNumber: PERSON, amount: 5, lastName });

  it('sees the activity and the faults of the chosen one only', async () => {
    await platform.subscribe();
    const page = await open('/');
    await payTill('514459', 'Kept');
    await payTill('700007', 'Hidden');
    await pay();
    await lines(page, 'prompt shown').getByText('default', { exact: true }).waitFor();
    await page.getByLabel('Merchant').selectOption('default');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const rows = page.getByRole('list', { name: 'Activity of default' }).locator('> li');
    await rows.filter({ hasText: 'prompt shown' }).waitFor();
    await rows.filter({ hasText: 'buygoods_transaction_received' }).waitFor();
    await live(page);
    expect(await page.getByText('Hidden').count()).toBe(0);
    platform.simulator.faults.rate('lose', 0.5, { match: { merchant: 'shop-7' } });
    await choose(page, 'duplicate');
    await page.getByRole('button', { name: 'Once' }).click();
    await activeFaults(page).getByText('1 pending').waitFor();
    expect(settingOf('duplicate')).toMatchObject({ match: { merchant: 'default' } });
    await page.getByRole('button', { name: 'End all' }).click();
    await announced(page, 'All faults are off.');
    expect(platform.simulator.faults.settings()).toEqual([
      expect.objectContaining({ kind: 'lose', match: { merchant: 'shop-7' } }),
    ]);
  });

  it('has an accessible page with a choice of the merchant', async () => {
    for (const path of ['/', '/?merchant=shop-7']) {
      const page = await open(path);
      await page.getByLabel('Merchant').waitFor();
      expect(await browser.violations(page)).toEqual([]);
    }
  });
});

describe.each(SCREENS)('the simulator on $screen', ({ options }) => {
  let page: Page;
  let found: string[];
  const go = (path: string): Promise<unknown> => page.goto(platform.simulator.url + path);
  const check = async (name: string): Promise<void> => {
    found.push(...(await faultsOf(page, name)));
  };

  beforeEach(async () => {
    page = await browser.page({ ...options, reducedMotion: 'reduce' });
    found = [];
  });

  it('has an accessible page without activity, and with a wrong number, that fits the width of the screen', async () => {
    await go('/');
    await live(page);
    await check('no activity');
    await go('/?phone=0700');
    await page.getByRole('alert').waitFor();
    await check('a wrong number');
    expect(found).toEqual([]);
  });

  it('has an accessible page of a payment link that fits the width of the screen', async () => {
    await go(`/links/${await aLink()}`);
    await check('payment link');
    await page.getByLabel('Your phone number').fill(PERSON);
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await announced(page, /^Paid/);
    await check('paid link');
    await go('/links/none');
    await page.getByRole('alert').waitFor();
    await check('unknown link');
    expect(found).toEqual([]);
  });

  it('has accessible handsets that fit the width of the screen', async () => {
    await go(`/?phone=${PERSON}&phone=${OTHER_PERSON}`);
    await live(page);
    await pay();
    await ringing(page);
    await check('handset that rings');
    await phoneOf(page).getByRole('button', { name: 'Right PIN' }).click();
    await phoneOf(page).getByRole('status').getByText('You entered the PIN').waitFor();
    platform.simulator
      .handset(PERSON)
      .receive({ at: new Date().toISOString(), from: 'KIBANDA', text: 'Asante! '.repeat(30) });
    await phoneOf(page).getByText('Asante!').waitFor();
    await platform.simulator.idle();
    await platform.simulator.reverse(platform.simulator.transactions()[0]!.reference);
    await phoneOf(page).getByText('Received: KES').waitFor();
    await check('handset with messages');
    await phoneOf(page).getByRole('button', { name: 'Switch off' }).click();
    await phoneOf(page).getByRole('button', { name: 'Switch on' }).waitFor();
    await check('handset that is off');
    expect(found).toEqual([]);
  });

  it('has accessible activity, faults and settings that fit the width of the screen', async () => {
    platform.simulator.faults.once('wrong-key');
    platform.simulator.faults.rate('lose', 0.5, { match: { phone: OTHER_PERSON } });
    platform.simulator.faults.rate('unknown-status', 1, { paymentStatus: HOSTILE });
    await go('/');
    await activeFaults(page).waitFor();
    await platform.client.pay({ metadata: { note: 'x'.repeat(500) } });
    await lines(page, 'POST /api/v2/incoming_payments').locator('summary').click();
    await lines(page, 'callback incoming_payment').first().locator('summary').click();
    await page.getByRole('button', { name: 'Resend' }).waitFor();
    await check('activity with much open');
    await page.getByLabel('Search').fill('nothing has this');
    await check('activity without a match');
    for (const kind of ['unknown-status', 'create-408', 'token-slow']) {
      await choose(page, kind);
      await check(`form of ${kind}`);
    }
    await page.getByRole('button', { name: 'Copy' }).click();
    await announced(page, 'settings');
    await check('settings');
    expect(found).toEqual([]);
  });

  it('keeps its layout with hostile names and texts', async () => {
    const name = LONGEST_NAME;
    const secrets = { clientId: HOSTILE, clientSecret: HOSTILE, apiKey: HOSTILE };
    platform.simulator.merchants.add({ name, tillNumbers: ['700007'], ...secrets });
    platform.simulator.faults.once('lose', { phone: HOSTILE });
    platform.simulator.faults.rate('lose', 1, { match: { merchant: name, topic: HOSTILE } });
    const handset = platform.simulator.handset(PERSON);
    handset.receive({ at: new Date().toISOString(), from: HOSTILE, text: HOSTILE });
    await platform.simulator.payTill({
      tillNumber: '700007',
      phoneNumber: PERSON,
      amount: 999_999_999,
      firstName: HOSTILE,
    });
    platform.simulator.journal.note(HOSTILE, { detail: HOSTILE.repeat(5) });
    for (const [path, text] of [
      [`/?phone=${PERSON}`, '<img src=x onerror=alert(1)><U+202E>gnp.exe'],
      ['/', 'only <img src=x'],
      [`/?merchant=${name}`, `Settings of your application for ${name}`],
    ] as const) {
      await go(path);
      await page.getByText(text).first().waitFor();
      await check(path);
    }
    expect(found).toEqual([]);
    expect(await page.locator('main script, main img').count()).toBe(0);
  });
});
