import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { FAULTS, type FaultDescription, type FaultSetting } from '@tillkit/simulator';
import { until } from '../support/until.js';
import { startPlatform, type Platform } from '../../libs/simulator/src/testing/platform.fixture.js';
import { PlatformClient } from '../../libs/simulator/src/testing/platform.client.fixture.js';
import { SCREENS, TestBrowser } from './browser.fixture.js';

/** The handset scenario: the prompt waits for a person. */
const PERSON = '+254700000014';
const OTHER_PERSON = '+254700000114';
/** A merchant's name has at most 64 characters. */
const LONGEST_NAME = 'Kibanda-cha-Mama-Wanjiru-na-Watoto-Wake-Wote-wa-Nairobi-West-K7x';

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
  page.getByRole('list', { name: 'Activity' }).locator('> li').filter({ hasText: text });

const announced = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByRole('status').and(page.locator('#status')).getByText(text).waitFor();

const atControl = async (options: BrowserContextOptions = {}): Promise<Page> => {
  const page = await open('/control', options);
  await announced(page, 'Live');
  return page;
};

const atFaults = async (options: BrowserContextOptions = {}): Promise<Page> => {
  const page = await open('/control/faults', options);
  await announced(page, 'Live');
  return page;
};

/** The row of a fault, in its open group. */
async function rowOf(page: Page, kind: string): Promise<Locator> {
  const row = page.locator(`[data-kind="${kind}"]`);
  const group = page.locator('details', { has: row });
  if ((await group.getAttribute('open')) === null) await group.locator('summary').click();
  return row;
}

const settingOf = (kind: string): FaultSetting | undefined =>
  platform.simulator.faults.settings().find((setting) => setting.kind === kind);

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

  it('loses a callback by a fault, sees that, resends the callback, and ends the fault', async () => {
    const faults = await atFaults();
    const page = await atControl();
    const lose = await rowOf(faults, 'lose');
    await lose.getByLabel('Only of lose').selectOption({ label: 'callbacks' });
    await lose.getByRole('button', { name: 'Start lose' }).click();
    await announced(faults, 'The simulator injects lose with a probability of 100 %.');
    await pay('+254700000001');
    const lost = lines(page, 'delivery lost');
    await lost.waitFor();
    expect(platform.arrivals()).toEqual([]);
    const active = page.getByRole('region', { name: 'Active faults' });
    await active.getByText('100 % · only callbacks · injected 1×').waitFor();
    await lose.getByText('100 % · only callbacks · injected 1×').waitFor();

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

    await active.getByRole('button', { name: 'End the active fault lose' }).click();
    await announced(page, 'lose is off.');
    await active.waitFor({ state: 'hidden' });
    expect(settingOf('lose')?.rate).toBe(0);
    await pay('+254700000001');
    await lines(page, 'callback incoming_payment').nth(3).waitFor();
  });

  it('ends a fault in its row, and all faults at once', async () => {
    const page = await atFaults();
    const lose = await rowOf(page, 'lose');
    await lose.getByLabel('Rate, % of lose').fill('30');
    await page.keyboard.press('Enter');
    await announced(page, 'The simulator injects lose with a probability of 30 %.');
    await page.getByText('1 active', { exact: true }).waitFor();
    const end = lose.getByRole('button', { name: 'End lose' });
    await end.click();
    await announced(page, 'lose is off.');
    expect(settingOf('lose')).toBeUndefined();
    expect(await end.isVisible()).toBe(false);
    platform.simulator.faults.rate('gzip', 0.5);
    platform.simulator.faults.once('token-5xx');
    await page.reload();
    await page.getByRole('button', { name: 'End all' }).click();
    await announced(page, 'All faults are off.');
    expect(platform.simulator.faults.settings()).toEqual([]);
    expect(await page.getByRole('region', { name: 'Active faults' }).isVisible()).toBe(false);
  });

  it('limits a fault to a resource and a phone', async () => {
    const page = await atFaults();
    await page.getByLabel('Only for this phone').fill(PERSON);
    const row = await rowOf(page, 'create-429');
    await row.getByLabel('Only of create-429').selectOption('incoming_payments');
    await row.getByRole('button', { name: 'Start create-429' }).click();
    await announced(page, 'The simulator injects create-429');
    expect(settingOf('create-429')).toMatchObject({
      rate: 1,
      options: { retryAfter: 1 },
      match: { phone: PERSON, resource: 'incoming_payments' },
    });
  });

  it('finds a fault by a word', async () => {
    const page = await atFaults();
    await page.getByLabel('Find a fault').fill('redirect create');
    await page.getByText('create-302', { exact: true }).waitFor();
    expect(await page.locator('.fault').filter({ visible: true }).count()).toBe(1);
    await page.getByLabel('Find a fault').fill('no such words');
    await page.getByText('No fault has these words.').waitFor();
  });

  it('applies a fault once, and delays and drops a waiting delivery', async () => {
    const faults = await atFaults();
    await faults.getByRole('button', { name: 'Once: delay' }).click();
    await faults.getByText('1 pending').first().waitFor();
    const page = await atControl();
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
    const page = await atFaults();
    const copies = page.getByLabel('times of duplicate');
    const times = (): number | undefined => settingOf('duplicate')?.options.times;
    await copies.fill('3');
    await page.getByRole('button', { name: 'Start duplicate' }).click();
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
    await page.getByRole('button', { name: 'End all' }).click();

    await page.getByLabel('ms of delay').fill('1000');
    await page.getByRole('button', { name: 'Once: delay' }).click();
    await announced(page, 'The simulator injects delay once, at the next match.');
    await pay('+254700000001');
    await platform.simulator.clock.advance(1_000);
    await until(() => platform.arrivals().length === 4);
  });

  it('has a labelled field for the rate and for every parameter of every fault, and what a correct client does', async () => {
    const page = await atFaults();
    for (const [kind, { summary, parameters }] of Object.entries<FaultDescription>(FAULTS)) {
      const row = await rowOf(page, kind);
      for (const name of ['Rate, %', ...parameters]) {
        const field = row.getByLabel(`${name} of ${kind}`, { exact: true });
        expect({ kind, name, isVisible: await field.isVisible() }).toEqual({
          kind,
          name,
          isVisible: true,
        });
      }
      const unlabelled = await row.locator('input:not([id]), select:not([id])').count();
      const text = String(await row.textContent()).replaceAll(/\s+/g, ' ');
      expect({ kind, unlabelled }).toEqual({ kind, unlabelled: 0 });
      expect(text).toContain(summary.replaceAll('`', ''));
      expect(text).toMatch(/ A correct client \w+.*\./);
    }
  });

  it('makes a payment into a till', async () => {
    await platform.subscribe();
    const page = await open('/control/money');
    await page.getByLabel('Amount', { exact: true }).fill('77');
    await page.getByLabel('Amount', { exact: true }).press('Enter');
    await announced(page, /^Paid into till 514459: reference \w+\.$/);
    await until(() => platform.arrivals().includes('buygoods_transaction_received'));
    expect(platform.simulator.transactions()).toMatchObject([{ amount: 77, firstName: 'Amina' }]);
    await page.getByLabel('From the phone').fill('0700');
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await announced(page, /phone number/);
  });

  it('reads the balances, and sees a payment after reading them again', async () => {
    const page = await open('/control/money');
    await announced(page, '0 balances.');
    await page.getByText('No account has moved money yet.').waitFor();
    await platform.simulator.payTill({ tillNumber: '514459', phoneNumber: PERSON, amount: 1234.5 });
    await page.getByRole('button', { name: 'Read the balances again' }).click();
    await announced(page, '2 balances.');
    const list = page.locator('#balances-list');
    expect(await list.locator('dt').allTextContents()).toEqual(['world', 'till:514459']);
    expect(await list.locator('dd').allTextContents()).toEqual(['KES -1,234.50', 'KES 1,234.50']);
  });

  it('sets what happens to payouts to a number, and lets the last digits choose again', async () => {
    const page = await open('/control/money');
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

  it('filters, pauses and clears the activity', async () => {
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

/** A name that would break a page: markup, a change of direction, and a word that is too long for a line. */
const HOSTILE = `<img src=x onerror=alert(1)>\u202egnp.exe "'${'W'.repeat(200)}`;

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

  it('sees the activity, the balances and the faults of the chosen one only', async () => {
    await platform.subscribe();
    const page = await open('/control');
    await payTill('514459', 'Kept');
    await payTill('700007', 'Hidden');
    await pay();
    await lines(page, 'prompt shown').getByText('default', { exact: true }).waitFor();
    await choose(page, 'default');
    const rows = page.getByRole('list', { name: 'Activity of default' }).locator('> li');
    await rows.filter({ hasText: 'prompt shown' }).waitFor();
    expect(await rows.filter({ hasText: 'buygoods_transaction_received' }).count()).toBe(1);
    expect(await page.getByText('Hidden').count()).toBe(0);
    await page.getByRole('link', { name: 'Money' }).click();
    await page.getByRole('heading', { name: 'Balances of default' }).waitFor();
    await page.getByText('1 balances of default.').waitFor();
    expect(await page.getByText('till:700007').count()).toBe(0);
    await page.getByRole('link', { name: 'Faults' }).click();
    platform.simulator.faults.rate('lose', 0.5, { match: { merchant: 'shop-7' } });
    await page.getByRole('button', { name: 'Once: duplicate' }).click();
    await page.getByText('1 pending').first().waitFor();
    expect(settingOf('duplicate')).toMatchObject({ match: { merchant: 'default' } });
    await page.getByRole('button', { name: 'End all' }).click();
    await announced(page, 'All faults are off.');
    expect(platform.simulator.faults.settings()).toEqual([
      expect.objectContaining({ kind: 'lose', match: { merchant: 'shop-7' } }),
    ]);
  });

  it('has accessible pages with a chooser', async () => {
    for (const path of [
      '/',
      ...['', '/faults', '/money', '/connect'].map((view) => `/control${view}?merchant=shop-7`),
    ]) {
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
    await go('/control');
    await announced(page, 'Live');
    await check('empty activity');
    platform.simulator.faults.once('wrong-key');
    platform.simulator.faults.rate('lose', 0.5, { match: { phone: OTHER_PERSON } });
    await go('/control');
    await page.getByRole('region', { name: 'Active faults' }).waitFor();
    await platform.client.pay({ metadata: { note: 'x'.repeat(500) } });
    await lines(page, 'POST /api/v2/incoming_payments').locator('summary').click();
    await lines(page, 'callback incoming_payment').first().locator('summary').click();
    await page.getByRole('button', { name: 'Resend' }).waitFor();
    await check('activity with much open');
    await page.getByLabel('Search').fill('nothing has this');
    await check('activity without a match');
    expect(found).toEqual([]);
  });

  it('has accessible faults, money and settings that fit the width of the screen', async () => {
    platform.simulator.faults.rate('lose', 0.5, { match: { phone: OTHER_PERSON } });
    platform.simulator.faults.rate('unknown-status', 1, { paymentStatus: HOSTILE });
    await go('/control/faults');
    await page.getByRole('region', { name: 'Active faults' }).waitFor();
    const closed = page.locator('.faults__group:not([open]) > summary');
    while ((await closed.count()) > 0) await closed.first().click();
    await check('faults');
    await platform.simulator.payTill({ tillNumber: '514459', phoneNumber: PERSON, amount: 1 });
    await go('/control/money');
    await announced(page, '2 balances.');
    await check('money');
    await go('/control/connect');
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
      ['/', 'Settings of your application for default'],
      [`/handset/${PERSON}`, '<img src=x onerror=alert(1)><U+202E>gnp.exe'],
      ['/control', '<img src=x onerror=alert(1)><U+202E>gnp.exe'],
      ['/control/faults', 'only <img src=x'],
      ['/control/money', 'till:700007'],
      [`/control?merchant=${name}`, 'only <img src=x'],
      [`/control/faults?merchant=${name}`, 'only <img src=x'],
      [`/control/connect?merchant=${name}`, `Settings of your application for ${name}`],
    ] as const) {
      await go(path);
      await page.getByText(text).first().waitFor();
      await check(path);
    }
    expect(found).toEqual([]);
    expect(await page.locator('main script, main img').count()).toBe(0);
  });
});
