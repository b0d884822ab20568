import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { FAULTS, type FaultDescription } from '@tillkit/simulator';
import { until } from '../support/until.js';
import { startPlatform, type Platform } from '../../libs/simulator/src/testing/platform.fixture.js';
import { PlatformClient } from '../../libs/simulator/src/testing/platform.client.fixture.js';
import { TestBrowser } from './browser.fixture.js';

/** The handset scenario: the prompt waits for a person. */
const PERSON = '+254700000014';
const OTHER_PERSON = '+254700000114';

let browser: TestBrowser;
let platform: Platform;

beforeAll(async () => {
  browser = await TestBrowser.launch();
});

afterAll(() => browser.close());

beforeEach(async () => {
  platform = await startPlatform({ seed: 1 });
});

afterEach(async () => {
  await platform.stop();
  await browser.leave();
});

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.page(options);
  await page.goto(platform.simulator.url + path);
  return page;
}

const pay = (phone = PERSON, value = 650): Promise<string> =>
  platform.client.pay({ phone, value, callbackUrl: platform.receiver.url });

const phoneOf = (page: Page, phone = PERSON): Locator => page.getByRole('region', { name: phone });

/** A payment link. @returns its id */
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

/** The page of a handset with a prompt. */
async function ringing(page: Page, phone = PERSON): Promise<Locator> {
  const handset = phoneOf(page, phone);
  await handset.getByRole('heading', { name: 'Pay KES' }).waitFor();
  return handset;
}

/** Whether the whole element is in the window, which nobody has scrolled. */
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
  const LONGEST_NAME = 'Kibanda-cha-Mama-Wanjiru-na-Watoto-Wake-Wote-wa-Nairobi-West-K7x';

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
      const page = await open(`/handset/${PERSON}`, SMALL);
      const handset = phoneOf(page);
      await handset.getByText('No prompt is waiting').waitFor();
      await client.pay({ till, phone: PERSON, value, callbackUrl: platform.receiver.url });
      const prompt = handset.getByRole('dialog', { name: amount });
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
    const page = await open(`/handset/${PERSON}`);
    await phoneOf(page).getByText('None yet.').waitFor();
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
    expect(await page.locator('[data-part=idle]:focus').count()).toBe(1);
  });

  it('reads what to do when no prompt waits, and what was paid after paying', async () => {
    const page = await open(`/handset/${PERSON}`);
    const handset = phoneOf(page);
    await handset.getByRole('heading', { name: 'No prompt is waiting' }).waitFor();
    await handset.getByText('Request a payment from this number').waitFor();
    await pay();
    await ringing(page);
    expect(await handset.getByText('No prompt is waiting').isVisible()).toBe(false);
    await handset.getByRole('button', { name: 'Pay', exact: true }).click();
    await handset.getByRole('dialog').getByText('Enter a PIN first.').waitFor();
    await page.keyboard.type('1234');
    await handset.getByRole('button', { name: 'Pay', exact: true }).click();
    await handset.getByText('KES 650.00 to till 514459', { exact: true }).waitFor();
    await handset.getByRole('heading', { name: 'No prompt is waiting' }).waitFor();
  });

  it('types a wrong PIN, and the payment fails', async () => {
    const page = await open(`/handset/${PERSON}`);
    const payment = await pay();
    const handset = await ringing(page);
    for (const key of ['9', '9', '8', '8']) {
      await handset.getByRole('button', { name: key, exact: true }).click();
    }
    await handset.getByRole('button', { name: 'Delete the last digit' }).click();
    expect(await handset.getByLabel('PIN', { exact: true }).inputValue()).toBe('998');
    await handset.getByRole('button', { name: 'Pay' }).click();
    await handset.getByRole('status').getByText('Wrong PIN').waitFor();
    expect(status(payment)).toBe('Failed');
  });

  it('cancels the prompt, and the payment fails', async () => {
    const page = await open(`/handset/${PERSON}`);
    const payment = await pay();
    const handset = await ringing(page);
    await handset.getByRole('button', { name: 'Cancel' }).click();
    await handset.getByRole('status').getByText('You cancelled').waitFor();
    expect(status(payment)).toBe('Failed');
  });

  it('sees the money of a refund as a message and as what the phone received', async () => {
    const page = await open(`/handset/${PERSON}`);
    const handset = phoneOf(page);
    await handset.getByText('None yet.').waitFor();
    const payment = { tillNumber: '514459', phoneNumber: PERSON, amount: 1_250 };
    const { reference } = await platform.simulator.payTill(payment);
    await platform.simulator.reverse(reference);
    await handset.getByText('You have received KES 1,250.00 from till 514459.').waitFor();
    await handset.getByText('Received: KES 1,250.00').waitFor();
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
    const page = await open(`/handset/${PERSON}`);
    const handset = phoneOf(page);
    await handset.getByRole('button', { name: 'Switch off' }).click();
    await handset.getByRole('button', { name: 'Switch on' }).waitFor();
    const payment = await pay();
    await platform.simulator.clock.advance(5_000);
    expect(status(payment)).toBe('Failed');
    await handset.getByRole('button', { name: 'Switch on' }).click();
    await pay();
    await ringing(page);
  });

  it('has two phones side by side, and each shows its own prompt', async () => {
    const page = await open('/handsets');
    await page.getByLabel('Phone number').fill('254 700 000 014');
    await page.keyboard.press('Enter');
    await page.getByLabel('Add a phone').fill(OTHER_PERSON);
    await page.getByRole('button', { name: 'Add' }).click();
    await phoneOf(page, OTHER_PERSON).waitFor();
    await page.getByLabel('Scenario of its payments').nth(1).selectOption({ label: 'handset' });
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
    const page = await open(`/handset/${PERSON}`);
    const hostile = `<script>alert(1)</script><img src=x onerror=alert(2)>\u202ereversed ${'x'.repeat(10_000)}`;
    platform.simulator
      .handset(PERSON)
      .receive({ at: new Date().toISOString(), from: 'KIBANDA', text: hostile });
    const message = phoneOf(page).getByRole('listitem');
    await message.getByText('<script>alert(1)</script><img').waitFor();
    expect(await message.textContent()).toContain('<U+202E>reversed xxx');
    expect(await page.locator('.handset script, .handset img').count()).toBe(0);
  });
});

/** The lines of the control room with this text, newest first. */
const lines = (page: Page, text: string): Locator =>
  page.getByRole('list', { name: 'Journal' }).locator('> li').filter({ hasText: text });

const announced = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByRole('status').and(page.locator('#status')).getByText(text).waitFor();

const atControl = async (options: BrowserContextOptions = {}): Promise<Page> => {
  const page = await open('/control', options);
  await announced(page, 'Live');
  return page;
};

describe('a developer in the control room', () => {
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
    expect(await page.content()).not.toContain(clientSecret);
    expect(await page.content()).not.toContain(platform.client.token);
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

  it('loses a callback by a fault, sees that, and resends the callback', async () => {
    const page = await atControl();
    await page.getByLabel('Only these').selectOption('callback');
    await page.getByLabel('lose', { exact: true }).focus();
    await page.keyboard.press('End');
    await announced(page, 'The simulator injects lose with a probability of 100 %.');
    await pay('+254700000001');
    const lost = lines(page, 'delivery lost');
    await lost.waitFor();
    expect(platform.arrivals()).toEqual([]);
    await page.getByText('injected 1×').waitFor();

    await lost.locator('summary').click();
    const delivery = lost.getByRole('region', { name: 'This delivery' });
    await delivery.getByText('lost: no attempt was made').waitFor();
    expect(await delivery.getByRole('button', { name: 'Drop' }).isDisabled()).toBe(true);
    await delivery.getByRole('button', { name: 'Resend' }).click();
    await announced(page, 'Sent again: answered 200.');
    expect(platform.arrivals()).toEqual(['Success']);
    await delivery.getByRole('button', { name: 'Duplicate' }).click();
    await announced(page, 'Sent 1 more.');
    await delivery.getByLabel('Kind of damage').selectOption('truncate');
    await delivery.getByRole('button', { name: 'Corrupt' }).click();
    await announced(page, 'Sent damaged (truncate): answered 200.');
    expect(platform.arrivals()).toEqual(['Success', 'Success', 'unreadable']);

    await page.getByRole('button', { name: 'Clear all' }).click();
    await announced(page, 'All faults are off.');
    expect(await page.getByLabel('lose', { exact: true }).inputValue()).toBe('0');
    await pay('+254700000001');
    await lines(page, 'callback incoming_payment').nth(3).waitFor();
  });

  it('applies a fault once, and delays and drops a waiting delivery', async () => {
    const page = await atControl();
    await page.getByRole('button', { name: 'Once: delay' }).click();
    await page.getByText('1 pending').waitFor();
    await pay('+254700000001');
    const late = lines(page, 'delivery delayed');
    await late.first().locator('summary').click();
    const delivery = late.first().getByRole('region', { name: 'This delivery' });
    await delivery.getByText('waits for its next attempt').waitFor();
    await delivery.getByLabel('How long').selectOption('20 min');
    await delivery.getByRole('button', { name: 'Delay' }).click();
    await announced(page, 'Delayed by 20 min.');
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
    const copies = page.getByLabel('Copies of duplicate');
    const times = (): number | undefined =>
      platform.simulator.faults.settings().find(({ kind }) => kind === 'duplicate')?.options.times;
    await copies.fill('3');
    await page.getByLabel('duplicate', { exact: true }).focus();
    await page.keyboard.press('End');
    await announced(page, 'The simulator injects duplicate with a probability of 100 %.');
    expect(times()).toBe(3);
    await copies.fill('2');
    await copies.press('Tab');
    await until(() => times() === 2);
    await copies.fill('1000000');
    await copies.press('Tab');
    expect(await page.locator(':invalid').count()).toBeGreaterThan(0);
    await pay('+254700000001');
    await until(() => platform.arrivals().length === 3);
    expect(times()).toBe(2);
    await page.getByRole('button', { name: 'Clear all' }).click();

    await page.getByLabel('Milliseconds of delay').fill('1000');
    await page.getByRole('button', { name: 'Once: delay' }).click();
    await announced(page, 'The simulator injects delay once, at the next match.');
    await pay('+254700000001');
    await platform.simulator.clock.advance(1_000);
    await until(() => platform.arrivals().length === 4);
  });

  it('has a field for every parameter of every fault', async () => {
    const page = await atControl();
    for (const [kind, { defaults, summary }] of Object.entries<FaultDescription>(FAULTS)) {
      const named = [...summary.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
      const all = Object.values<FaultDescription>(FAULTS).flatMap((fault) => fault.parameters);
      const names = new Set([
        ...Object.keys(defaults),
        ...named.filter((name) => (all as string[]).includes(name)),
      ]);
      for (const name of names) {
        const field = page.locator(`[data-kind="${kind}"] [data-parameter="${name}"]`);
        expect({ kind, name, fields: await field.count() }).toEqual({ kind, name, fields: 1 });
      }
    }
  });

  it('makes a payment into a till', async () => {
    await platform.subscribe();
    const page = await atControl();
    await page.getByText('Pay a till').click();
    await page.getByLabel('Amount', { exact: true }).fill('77');
    await page.getByLabel('Amount', { exact: true }).press('Enter');
    await announced(page, /^Paid into till 514459: reference \w+\.$/);
    await lines(page, 'webhook buygoods_transaction_received').waitFor();
    expect(platform.simulator.transactions()).toMatchObject([{ amount: 77, firstName: 'Amina' }]);
    await page.getByLabel('From the phone').fill('0700');
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await announced(page, /phone number/);
  });

  it('reads the balances, and sees a payment after reading them again', async () => {
    const page = await atControl();
    await page.locator('summary').filter({ hasText: 'Balances' }).click();
    await announced(page, '0 balances.');
    await platform.simulator.payTill({ tillNumber: '514459', phoneNumber: PERSON, amount: 1234.5 });
    await page.getByRole('button', { name: 'Read the balances again' }).click();
    await announced(page, '2 balances.');
    const list = page.locator('#balances-list');
    expect(await list.locator('dt').allTextContents()).toEqual(['world', 'till:514459']);
    expect(await list.locator('dd').allTextContents()).toEqual(['KES -1,234.50', 'KES 1,234.50']);
  });

  it('sets what happens to payouts to a number, and lets the last digits choose again', async () => {
    const page = await atControl();
    await page.locator('summary').filter({ hasText: 'Payouts to a number' }).click();
    await page.getByLabel('Number of the destination').fill(PERSON);
    await page.getByLabel('What happens').selectOption('cancelled');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await announced(page, `Payouts to ${PERSON}: cancelled.`);
    expect(platform.simulator.payoutScenarios()).toEqual({ [PERSON.slice(1)]: 'cancelled' });
    await page.getByLabel('What happens').selectOption('');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await announced(page, `The last two digits of ${PERSON} choose what happens to payouts.`);
    expect(platform.simulator.payoutScenarios()).toEqual({});
    await page.getByLabel('Number of the destination').fill('?!');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await announced(page, /is not the number of a destination/);
  });

  it('copies a request as a curl command, with masked secrets and escaped quotes', async () => {
    const page = await atControl({ permissions: ['clipboard-read', 'clipboard-write'] });
    await platform.client.pay({ metadata: { note: `it's; rm -rf $(pwd)` } });
    const request = lines(page, 'POST /api/v2/incoming_payments');
    await request.locator('summary').click();
    await request.getByRole('button', { name: 'Copy as curl' }).click();
    await announced(page, 'Copied as curl');
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(command).toContain(
      `curl -X POST '${platform.simulator.url}/api/v2/incoming_payments' \\\n`,
    );
    expect(command).toContain(`-H 'authorization: Bearer ***'`);
    expect(command).toContain(`it'\\''s; rm -rf $(pwd)`);
    expect(command).not.toContain(platform.client.token);
  });

  it('copies a command from which a shell reads exactly the same text', async () => {
    const page = await atControl();
    const body = `@/etc/hostname 'x' "y" \\ $(id) \`id\` !! \n\u001b]0;title\u0007 ünï`;
    const request = {
      method: 'POST',
      url: `http://127.0.0.1/it's`,
      headers: { 'x-note': `a'b` },
      body,
    };
    const command = await page.evaluate<string>(
      `import('/assets/curl.js').then(({ curlOf }) => curlOf(${JSON.stringify(request)}))`,
    );
    expect(command).not.toContain('\u001b');
    const words = execFileSync(
      'bash',
      ['--norc', '-c', `curl() { printf '%s\\0' "$@"; }; ${command}`],
      {
        encoding: 'utf8',
        env: { LC_ALL: 'C.UTF-8' },
      },
    );
    expect(words.split('\0').slice(0, -1)).toEqual([
      '-X',
      'POST',
      request.url,
      '-H',
      `x-note: a'b`,
      '--data-raw',
      body,
    ]);
  });

  it('filters, pauses and clears the journal', async () => {
    const page = await atControl();
    await pay('+254700000002');
    await pay('+254700000001');
    await lines(page, 'callback incoming_payment').nth(1).waitFor();
    await page.getByLabel('Search').fill('incoming_payments 254700000002');
    await page.getByText(/^1 of \d+$/).waitFor();
    expect(await lines(page, '').filter({ visible: true }).count()).toBe(1);
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Show').selectOption('attempt');
    expect(await lines(page, '').filter({ visible: true }).count()).toBe(2);
    await page.getByLabel('Show').selectOption('problem');
    await page.getByText('No entry matches the filter.').waitFor();
    await page.getByLabel('Show').selectOption('');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await pay('+254700000001');
    await page.getByText(/^\d waiting$/).waitFor();
    expect(await lines(page, '').count()).toBe(0);
    await page.getByRole('button', { name: 'Pause' }).click();
    await lines(page, 'POST /api/v2/incoming_payments').waitFor();
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
    for (const line of await lines(page, '').all()) await line.locator('summary').click();
    await page.getByLabel('Request, body').filter({ hasText: '<U+202E>gnp.exe' }).first().waitFor();
    expect(await page.locator('main script, main img').count()).toBe(0);
  });
});

const SCREENS: readonly { screen: string; options: BrowserContextOptions }[] = [
  { screen: 'a desktop, light', options: { viewport: { width: 1280, height: 800 } } },
  {
    screen: 'a desktop, dark',
    options: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  },
  { screen: 'a small phone', options: { viewport: { width: 320, height: 640 }, isMobile: true } },
  {
    screen: 'a small phone, dark',
    options: { viewport: { width: 320, height: 640 }, isMobile: true, colorScheme: 'dark' },
  },
];

/** The problems of a page in its present state. */
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

  const choose = async (page: Page, name: string) => {
    await page.getByLabel('Merchant').selectOption(name);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
  };
  const payTill = (tillNumber: string, lastName: string) =>
    platform.simulator.payTill({ tillNumber, phoneNumber: PERSON, amount: 5, lastName });

  it('sees the journal, the balances and the faults of the chosen one only', async () => {
    await platform.subscribe();
    const page = await open('/control');
    await choose(page, 'default');
    await payTill('514459', 'Kept');
    await payTill('700007', 'Hidden');
    await pay();
    const rows = page.getByRole('list', { name: 'Journal of default' }).locator('> li');
    await rows.filter({ hasText: 'prompt shown' }).waitFor();
    expect(await rows.filter({ hasText: 'buygoods_transaction_received' }).count()).toBe(1);
    expect(await page.getByText('Hidden').count()).toBe(0);
    await page.getByText('Balances of default').click();
    await page.getByText('1 balances of default.').waitFor();
    expect(await page.getByText('till:700007').count()).toBe(0);
    await page.getByRole('button', { name: 'Once: duplicate' }).click();
    await page.getByText('1 pending').waitFor();
    expect(platform.simulator.faults.settings()).toEqual([
      expect.objectContaining({ kind: 'duplicate', match: { merchant: 'default' } }),
    ]);
  });

  it('has accessible pages with a chooser', async () => {
    for (const path of ['/', '/control?merchant=shop-7']) {
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

  it('has an accessible start page and picker that fit the width of the screen', async () => {
    await go('/');
    await check('start');
    platform.simulator.handset(PERSON);
    await go('/handsets');
    await check('picker');
    await go('/handsets?phone=0700');
    await page.getByRole('alert').waitFor();
    await check('picker with a wrong number');
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
    await go(`/handsets?phone=${PERSON}&phone=${OTHER_PERSON}`);
    await phoneOf(page).getByText('None yet.').waitFor();
    await pay();
    await ringing(page);
    await check('handset that rings');
    await phoneOf(page).getByRole('button', { name: 'Right PIN' }).click();
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

  it('has an accessible control room that fits the width of the screen', async () => {
    platform.simulator.faults.once('wrong-key');
    platform.simulator.faults.rate('lose', 0.5, { match: { phone: OTHER_PERSON } });
    await go('/control');
    await announced(page, 'Live');
    await check('control room');
    await platform.client.pay({ metadata: { note: 'x'.repeat(500) } });
    await lines(page, 'POST /api/v2/incoming_payments').locator('summary').click();
    await lines(page, 'callback incoming_payment').first().locator('summary').click();
    await page.getByRole('button', { name: 'Resend' }).waitFor();
    for (const name of [
      'Pay a till',
      'Balances',
      'Payouts to a number',
      'Bytes of a delivery',
      'Content of results',
      'Answers to creates',
      'Tokens',
    ]) {
      await page.locator('summary').filter({ hasText: name }).click();
    }
    await check('control room with much open');
    expect(found).toEqual([]);
  });
});
