import { randomUUID } from 'node:crypto';
import { get } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Charge } from '@tillkit/simulator';
import { deliverSigned, resultBody } from '../../test/support/deliver.js';
import { ADAPTERS, OpenShop } from '../test/shop.fixture.js';
import { PHONE_PROBLEM } from './orders/checkout.form.js';
import { FAILURE_WORDS } from './orders/order.words.js';
import { html } from './web/html.template.js';

/** The handset scenario: the prompt waits for a person. */
const PERSON = '0700000014';
const PERSONS_PHONE = '+254700000014';

describe.each(ADAPTERS)('the shop on $platform', ({ adapter }) => {
  let shop: OpenShop;

  beforeEach(async () => {
    shop = await OpenShop.open({ adapter });
  });

  afterEach(() => shop.close());

  const promptOnPhone = async (): Promise<void> => {
    const phone = shop.simulator.handset(PERSONS_PHONE);
    while (!phone.prompts().some(({ state }) => state === 'open')) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  it('shows its goods, and everything else there is to see', async () => {
    const { status, text } = await shop.get('/');
    expect(status).toBe(200);
    expect(text).toContain('<a href="/goods/coffee">Nyeri coffee</a>');
    expect(text).toContain('KES 2,400');
    for (const place of ['/till', '/dashboard', `${shop.simulator.url}/handsets`]) {
      expect(text).toContain(`href="${place}"`);
    }
    expect(text).toContain(`href="${shop.simulator.url}/control"`);
  });

  it('shows its payments in the dashboard, which its own headers and problem pages leave alone', async () => {
    const order = await shop.buy();
    await shop.pageWith(order, 'Paid. Asante!');
    const list = await shop.get('/dashboard/payments');
    expect(list.status).toBe(200);
    expect(list.text).toMatch(/<h1>Payments<\/h1>[^]*Jane Doe/);
    expect(list.headers.get('content-security-policy')).toContain("script-src 'self'");
    const lost = await shop.get('/dashboard/payments/no-such-payment');
    expect(lost.status).toBe(404);
    expect(lost.text).toContain('There is no such payment');
    expect(lost.text).not.toContain('To the shop');
  });

  it('keeps the dashboard from who asks for it by another name', async () => {
    const { port } = new URL(shop.url);
    const status = await new Promise((resolve, reject) => {
      get(
        {
          port,
          host: '127.0.0.1',
          path: '/dashboard/payments',
          headers: { host: 'elsewhere.example' },
        },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      ).on('error', reject);
    });
    expect(status).toBe(403);
  });

  it.each(['/', '/goods/coffee', '/till', '/nothing-here'])(
    'lets nothing inline run on %s, and says so to the browser',
    async (path) => {
      const { headers, text } = await shop.get(path);
      expect(headers.get('content-security-policy')).toContain(
        "script-src 'self'; style-src 'self'",
      );
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc=)/);
    },
  );

  it('follows a payment live from the prompt to the receipt, and tells of the SMS', async () => {
    const order = await shop.buy({ phone: PERSON });
    const sections: string[] = [];
    let isApproved = false;
    for await (const { html: section, news } of shop.sections(`${order}/events`)) {
      sections.push(news);
      if (section.includes('Check your phone') && !isApproved) {
        isApproved = true;
        await promptOnPhone();
        shop.simulator.handset(PERSONS_PHONE).approve();
      }
      if (section.includes('We sent a thank-you by SMS')) break;
    }
    expect(sections.join('\n')).toMatch(/Check your phone[^]*Paid\. Asante!/);
    const [charge] = shop.simulator.transactions();
    const { text } = await shop.get(order);
    expect(text).toContain(charge!.reference);
    expect(text).toContain('Total paid');
    expect(text).not.toContain('Try again');
    expect(shop.simulator.handset(PERSONS_PHONE).inbox()).toMatchObject([
      { text: `Asante, Jane! Kibanda received KES 650. Receipt ${charge!.reference}.` },
    ]);
  });

  it('takes one payment for a form that is sent many times', async () => {
    const ticket = randomUUID();
    const answers = await Promise.all(Array.from({ length: 5 }, () => shop.checkout({ ticket })));
    expect(new Set(answers.map(({ location }) => location)).size).toBe(1);
    await shop.pageWith(answers[0]!.location!, 'Paid. Asante!');
    await shop.checkout({ ticket });
    await shop.simulator.idle();
    expect(shop.simulator.charges()).toHaveLength(1);
  });

  it('takes a form that was changed before it was sent again for another order', async () => {
    const ticket = randomUUID();
    const one = await shop.buy({ ticket });
    const other = await shop.buy({ ticket, phone: '0700000006' });
    expect(other).not.toBe(one);
  });

  it('offers to try again after a failure, as a new payment, with the phone of choice', async () => {
    const order = await shop.buy({ phone: '0700000002' });
    const failed = await shop.pageWith(order, 'Try again');
    expect(failed).toContain(FAILURE_WORDS.cancelled);
    expect(failed).toContain('name="attempt" value="2"');

    const form = { attempt: '2', phone: '0700 000 001' };
    const answers = await Promise.all([1, 2, 3].map(() => shop.post(`${order}/attempts`, form)));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);

    const paid = await shop.pageWith(order, 'Paid. Asante!');
    expect(paid).toContain('+254 700 000 001');
    await shop.simulator.idle();
    expect(shop.simulator.charges()).toHaveLength(2);
    expect(shop.simulator.transactions()).toHaveLength(1);
  });

  it('tells an open page of the new attempt', async () => {
    const order = await shop.buy({ phone: '0700000002' });
    await shop.pageWith(order, 'Try again');
    const seen = shop.sectionsUntil(`${order}/events`, 'Paid. Asante!');
    await shop.post(`${order}/attempts`, { attempt: '2', phone: '0700000001' });
    expect((await seen).at(-1)!.title).toMatch(/^Paid\. Asante! · Order [0-9A-F]{6} · Kibanda$/);
  });

  it.each([
    ['while the phone is being asked', PERSON, 'Check your phone'],
    ['after it was paid', '0700000001', 'Paid. Asante!'],
  ])('asks for nothing more %s', async (_when, phone, text) => {
    const order = await shop.buy({ phone });
    expect(await shop.pageWith(order, text)).not.toContain('Try again');
    const { status, location } = await shop.post(`${order}/attempts`, {
      attempt: '2',
      phone: '0700000001',
    });
    expect([status, location]).toEqual([303, order]);
    expect(shop.simulator.charges()).toHaveLength(1);
  });

  it.each([
    ['0700000003', 'wrong_pin'],
    ['0700000004', 'insufficient_funds'],
    ['0700000007', 'timeout'],
    ['0700000008', 'busy'],
    ['0700000009', 'limit'],
    ['0700000019', 'unknown'],
  ] as const)('says why the payment of %s failed: %s', async (phone, reason) => {
    const order = await shop.buy({ phone });
    const words = html`${FAILURE_WORDS[reason]}`.toString();
    expect(await shop.pageWith(order, 'Try again')).toContain(words);
  });

  it('says that it is checking when another amount was paid, and asks for no more', async () => {
    const order = await shop.buy({ phone: PERSON });
    await shop.pageWith(order, 'Check your phone');
    const [{ paymentId, callbackUrl }] = shop.simulator.charges() as [Charge];
    const result = resultBody(paymentId, callbackUrl, {}, { amount: '1.0' });
    await deliverSigned(callbackUrl, result, shop.simulator.apiKey);
    const page = await shop.pageWith(order, 'We are checking this payment');
    expect(page).toContain('Please do not pay again');
    expect(page).not.toContain('Try again');
  });

  it('says that the money went back', async () => {
    const order = await shop.buy({ phone: '0700000013' });
    await shop.pageWith(order, 'Paid. Asante!');
    await shop.simulator.clock.advance(60_000);
    expect(await shop.pageWith(order, 'Your money was given back')).not.toContain('Try again');
  });

  it('says beside the field what is wrong with a phone number, and asks nobody', async () => {
    const { status, text } = await shop.checkout({ phone: '12345', name: 'Jane' });
    expect(status).toBe(422);
    expect(text).toMatch(
      /value="12345"[^>]*aria-describedby="phone-hint phone-problem"[^>]*aria-invalid="true"[^>]*autofocus/,
    );
    expect(text).toContain(`id="phone-problem">${PHONE_PROBLEM}</p>`);
    expect(text).toContain('value="Jane"');
    expect(shop.simulator.charges()).toHaveLength(0);
  });

  it('says beside the field what is wrong when trying again', async () => {
    const order = await shop.buy({ phone: '0700000002' });
    await shop.pageWith(order, 'Try again');
    const answer = await shop.post(`${order}/attempts`, { attempt: '2', phone: 'my phone' });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain(PHONE_PROBLEM);
    expect(answer.text).toContain(FAILURE_WORDS.cancelled);
    expect(await shop.get(order)).toMatchObject({ status: 200 });
    expect(shop.simulator.charges()).toHaveLength(1);
  });

  it.each([
    [{ name: '  ' }, 'name', 'Please tell us your name'],
    [{ name: 'x'.repeat(81) }, 'name', 'shorten'],
    [{ name: 'Jane\u0007' }, 'name', 'special characters'],
    [{ phone: '' }, 'phone', 'Please give the phone number'],
    [{ phone: '0'.repeat(10_000) }, 'phone', PHONE_PROBLEM],
  ])('refuses %j', async (fields, field, words) => {
    const { status, text } = await shop.checkout(fields);
    expect(status).toBe(422);
    expect(text).toMatch(new RegExp(`id="${field}-problem">[^<]*${words.replace(/\+/g, '\\+')}`));
  });

  it('says so when the phone is being asked for the same amount already', async () => {
    await shop.pageWith(await shop.buy({ phone: PERSON }), 'Check your phone');
    const { status, text } = await shop.checkout({ phone: PERSON });
    expect(status).toBe(409);
    expect(text).toContain('being asked for the same amount');
  });

  it.each([
    '<script>alert(1)</script>',
    `"><img src=x onerror='alert(1)'>`,
    '\u202Eevil',
    '&lt;b&gt;',
  ])('shows the name %s harmlessly everywhere', async (name) => {
    const escaped = html`${name}`.toString();
    const refused = await shop.checkout({ name, phone: '1' });
    expect(refused.text).toContain(`value="${escaped}"`);

    const order = await shop.buy({ name });
    const page = await shop.pageWith(order, 'We sent a thank-you by SMS');
    const [section] = await shop.sectionsUntil(`${order}/events`, 'Paid');
    const till = await shop.pageWith('/till', 'SMS sent');
    expect(page).toContain(`<bdi>${escaped}</bdi>`);
    expect(section!.html).toContain(`<bdi>${escaped}</bdi>`);
    for (const text of [refused.text, page, section!.html, till]) {
      expect(text).not.toMatch(/<script>|<img/);
    }
  });

  it('lists what the till received, live, also what no order asked for', async () => {
    expect((await shop.get('/till')).text).toContain('Nothing yet.');
    const seen = shop.sectionsUntil('/till/events', 'SMS sent');
    await shop.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: '+254700000077',
      amount: 125.5,
      firstName: 'Amina',
      lastName: 'Yusuf',
    });
    const last = (await seen).at(-1)!;
    expect(last.html).toContain('KES 125.50');
    expect(last.html).toContain('<bdi>Amina Y.</bdi>');
    expect(last.html).toContain('Paid directly');
    expect(last.html).toContain('+254 7•• ••• 077');
    expect(last.news).toBe('Latest: KES 125.50 from Amina Y.');
    expect(shop.simulator.handset('+254700000077').inbox()).toHaveLength(1);
  });

  it('names the order in the list of the till', async () => {
    const order = await shop.buy();
    const number = order.slice('/orders/'.length, '/orders/'.length + 6).toUpperCase();
    expect(await shop.pageWith('/till', `Order ${number}`)).not.toContain('Paid directly');
  });

  it('works without JavaScript: pages load themselves again while something is to come', async () => {
    const order = await shop.buy({ phone: PERSON });
    const page = await shop.pageWith(order, 'Check your phone');
    expect(page).toMatch(/<noscript\s*><meta http-equiv="refresh" content="3" \/><\/noscript/);
    const phone = await shop.get('/goods/coffee?phone=0700000002');
    expect(phone.text).toContain('value="0700000002"');
    await promptOnPhone();
    shop.simulator.handset(PERSONS_PHONE).approve();
    expect(await shop.pageWith(order, 'Paid. Asante!')).not.toContain('http-equiv="refresh"');
  });

  it.each([
    '/nothing-here',
    '/goods/gold',
    `/orders/${'0'.repeat(32)}`,
    `/orders/${'0'.repeat(32)}/events`,
    '/assets/main.ts',
  ])('has a page for %s, which is not there', async (path) => {
    const { status, text, headers } = await shop.get(path);
    expect(status).toBe(404);
    expect(text).toContain('There is nothing here');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each<Record<string, string>>([{ goods: 'gold' }, { ticket: 'x' }, { goods: '' }])(
    'has a page for a form that did not come from it: %j',
    async (fields) => {
      const { status, text } = await shop.checkout(fields);
      expect(status).toBe(400);
      expect(text).toContain('send the form again');
    },
  );

  it('takes a form without a body for one that did not arrive', async () => {
    const response = await fetch(`${shop.url}/orders`, { method: 'POST' });
    expect(response.status).toBe(400);
  });

  it('serves its files with their types, to be kept for ever', async () => {
    const { text } = await shop.get('/');
    const [css] = /\/assets\/shop\.css\?v=[0-9a-f]{12}/.exec(text)!;
    const { status, headers } = await shop.get(css);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(headers.get('cache-control')).toContain('immutable');
  });

  it('closes with streams open and a payment under way', async () => {
    const order = await shop.buy({ phone: PERSON });
    await shop.pageWith(order, 'Check your phone');
    const streams = [shop.sections(`${order}/events`), shop.sections('/till/events')];
    for (const stream of streams) await stream.next();
    await shop.close();
    for (const stream of streams) {
      while (!(await stream.next()).done);
    }
    await expect(shop.get('/')).rejects.toThrow('fetch failed');
    shop = await OpenShop.open({ adapter });
  });
});
