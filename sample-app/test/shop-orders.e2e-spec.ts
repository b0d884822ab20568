import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Charge } from '@tillkit/simulator';
import { deliverSigned, resultBody } from '../../test/support/deliver.js';
import { PHONE_PROBLEM } from '../src/orders/checkout.form.js';
import { FAILURE_TEXTS } from '../src/orders/order-texts.js';
import { html } from '@tillkit/pages';
import { OpenShop } from './shop.fixture.js';

/** Last digits of phone numbers, by scenario. */
const PAYS = '01';
const CANCELS = '02';
const REVERSED_LATER = '13';
/** The prompt waits for the test. */
const DECIDES = '14';

describe('An order of the sample shop', () => {
  let shop: OpenShop;

  beforeAll(async () => {
    shop = await OpenShop.open();
  });

  afterAll(() => shop.close());

  it('shows each state of its payment on an open page, from the prompt to the receipt', async () => {
    const customer = shop.customer(DECIDES);
    const order = await shop.buy({ phone: customer.phone });
    let approved: Promise<void> | undefined;
    const approve = (): Promise<void> => (approved ??= customer.approve());
    const announcements: string[] = [];
    let isAtItsEnd = false;
    for await (const { announcement, isFinal } of shop.sections(`${order}/events`)) {
      announcements.push(announcement);
      if (announcement.startsWith('Check your phone')) await approve();
      isAtItsEnd = isFinal;
      if (isFinal) break;
    }
    expect(announcements.join('\n')).toMatch(/Check your phone[^]*Paid\. Asante!/);
    expect(isAtItsEnd).toBe(true);
    const { text } = await shop.get(order);
    expect(text).toContain(customer.charges()[0]!.reference);
    expect(text).toContain('Total paid');
    expect(text).toMatch(/<title>Paid\. Asante! · Order \d{4} · Kibanda<\/title>/);
    expect(text).not.toContain('Try again');
  });

  it('links to the phone of its customer while that shows the prompt, and says when the prompt ends', async () => {
    const customer = shop.customer(DECIDES);
    const order = await shop.buy({ phone: customer.phone });
    const page = await shop.pageWith(order, 'Check your phone');
    expect(page).toContain(`href="${shop.simulator.url}/?phone=${customer.internationalPhone}"`);
    expect(page).toMatch(/<time datetime="[^"]+Z" data-countdown>at /);
    await customer.approve();
    expect(await shop.pageWith(order, 'Paid. Asante!')).not.toContain('Open the phone');
  });

  it('reloads its page without JavaScript until the payment is final', async () => {
    const customer = shop.customer(DECIDES);
    const order = await shop.buy({ phone: customer.phone });
    const page = await shop.pageWith(order, 'Check your phone');
    expect(page).toMatch(/<noscript\s*><meta http-equiv="refresh" content="3" \/><\/noscript/);
    await customer.approve();
    expect(await shop.pageWith(order, 'Paid. Asante!')).not.toContain('http-equiv="refresh"');
  });

  it('has one payment even if its form is sent many times', async () => {
    const customer = shop.customer(PAYS);
    const form = { ticket: randomUUID(), phone: customer.phone };
    const answers = await Promise.all(Array.from({ length: 5 }, () => shop.checkout(form)));
    expect(new Set(answers.map(({ location }) => location)).size).toBe(1);
    await shop.pageWith(answers[0]!.location!, 'Paid. Asante!');
    await shop.checkout(form);
    await shop.simulator.idle();
    expect(customer.charges()).toHaveLength(1);
  });

  it('is paid once for its basket, also when the customer goes back and changes the phone in the form', async () => {
    const [first, second] = [shop.customer(DECIDES), shop.customer(PAYS)];
    const ticket = randomUUID();
    const order = await shop.buy({ ticket, phone: first.phone });
    await shop.pageWith(order, 'Check your phone');
    const early = await shop.checkout({ ticket, phone: second.phone });
    expect(early.status).toBe(409);
    expect(early.text).toContain('No prompt on your phone?');
    await first.approve();
    await shop.pageWith(order, 'Paid. Asante!');
    const besides = /name="besides" value="([^"]+)"/.exec(early.text)![1]!;
    for (const more of [{}, { besides }] as Record<string, string>[]) {
      const late = await shop.checkout({ ticket, phone: second.phone, ...more });
      expect(late.status).toBe(409);
      expect(late.text).toContain('This is paid already');
    }
    await shop.simulator.idle();
    expect(second.charges()).toEqual([]);
  });

  it('is asked for again when the customer says that the phone shows no prompt, and names what it passes', async () => {
    const customer = shop.customer(DECIDES);
    const order = await shop.buy({ phone: customer.phone });
    expect(await shop.pageWith(order, 'Check your phone')).toContain('No prompt on your phone?');
    const page = await shop.get(`${order}/again`);
    expect(page.text).toMatch(/Order \d{4}, asked at /);
    const besides = /name="besides" value="([^"]+)"/.exec(page.text)![1]!;
    const again = { attempt: '2', phone: customer.phone };
    const unasked = await shop.post(`${order}/attempts`, again);
    expect([unasked.status, unasked.location]).toEqual([303, order]);
    expect(await shop.post(`${order}/attempts`, { ...again, besides })).toMatchObject({
      status: 303,
      location: order,
    });
    while (customer.charges().length < 2) await shop.get(order);
    await customer.approve();
    await shop.pageWith(order, 'Paid. Asante!');
    const stale = await shop.post(`${order}/attempts`, { ...again, attempt: '3', besides });
    expect([stale.status, stale.location]).toEqual([303, order]);
    await shop.simulator.idle();
    expect(customer.charges()).toHaveLength(2);
    expect((await shop.get(`${order}/again`)).location).toBe(order);
  });

  it('can be retried after a failure as one new payment, also with another phone', async () => {
    const [first, second] = [shop.customer(CANCELS), shop.customer(PAYS)];
    const order = await shop.buy({ phone: first.phone });
    const failed = await shop.pageWith(order, 'Try again');
    expect(failed).toContain(FAILURE_TEXTS.cancelled);
    expect(failed).toContain('name="attempt" value="2"');

    const form = { attempt: '2', phone: second.phone };
    const answers = await Promise.all([1, 2, 3].map(() => shop.post(`${order}/attempts`, form)));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);

    await shop.pageWith(order, 'Paid. Asante!');
    await shop.simulator.idle();
    expect(first.charges()).toHaveLength(1);
    expect(second.charges()).toHaveLength(1);
  });

  it.each([
    ['while the phone shows the prompt', DECIDES, 'Check your phone'],
    ['after it has been paid', PAYS, 'Paid. Asante!'],
  ])('refuses a retry %s', async (_when, lastDigits, text) => {
    const customer = shop.customer(lastDigits);
    const order = await shop.buy({ phone: customer.phone });
    expect(await shop.pageWith(order, text)).not.toContain('Try again');
    const retry = { attempt: '2', phone: customer.phone };
    const { status, location } = await shop.post(`${order}/attempts`, retry);
    expect([status, location]).toEqual([303, order]);
    expect(customer.charges()).toHaveLength(1);
  });

  it.each([
    ['03', 'wrong_pin'],
    ['04', 'insufficient_funds'],
    ['07', 'timeout'],
    ['08', 'busy'],
    ['09', 'limit'],
    ['19', 'unknown'],
  ] as const)(
    'shows a customer whose number ends in %s the reason %s',
    async (lastDigits, reason) => {
      const order = await shop.buy({ phone: shop.customer(lastDigits).phone });
      const text = html`${FAILURE_TEXTS[reason]}`.toString();
      expect(await shop.pageWith(order, 'Try again')).toContain(text);
    },
  );

  it('offers no retry while it is in review because of another amount', async () => {
    const customer = shop.customer(DECIDES);
    const order = await shop.buy({ phone: customer.phone });
    await shop.pageWith(order, 'Check your phone');
    const [{ paymentId, callbackUrl }] = customer.charges() as [Charge];
    const result = resultBody(paymentId, callbackUrl, {}, { amount: '1.0' });
    await deliverSigned(callbackUrl, result, shop.simulator.apiKey);
    const page = await shop.pageWith(order, 'We are checking this payment');
    expect(page).toContain('Please do not pay again');
    expect(page).not.toContain('Try again');
  });

  it('shows that its payment was reversed', async () => {
    const order = await shop.buy({ phone: shop.customer(REVERSED_LATER).phone });
    await shop.pageWith(order, 'Paid. Asante!');
    await shop.simulator.clock.advance(60_000);
    expect(await shop.pageWith(order, 'Your money was given back')).not.toContain('Try again');
  });

  it('is refused with a wrong phone number, with the reason beside the field and without a payment request', async () => {
    const before = shop.simulator.charges().length;
    const { status, text } = await shop.checkout({ phone: '12345', name: 'Jane' });
    expect(status).toBe(422);
    expect(text).toMatch(
      /value="12345"[^>]*aria-describedby="phone-hint phone-problem"[^>]*aria-invalid="true"[^>]*autofocus/,
    );
    expect(text).toContain(`id="phone-problem">${PHONE_PROBLEM}</p>`);
    expect(text).toContain('value="Jane"');
    await shop.simulator.idle();
    expect(shop.simulator.charges()).toHaveLength(before);
  });

  it('can be sent again with a corrected phone number', async () => {
    const ticket = randomUUID();
    const customer = shop.customer(PAYS);
    await shop.checkout({ ticket, phone: '12345' });
    const order = await shop.buy({ ticket, phone: customer.phone });
    await shop.pageWith(order, 'Paid. Asante!');
    expect(customer.charges()).toHaveLength(1);
  });

  it('refuses a retry with a wrong phone number, with the reason beside the field', async () => {
    const customer = shop.customer(CANCELS);
    const order = await shop.buy({ phone: customer.phone });
    await shop.pageWith(order, 'Try again');
    const answer = await shop.post(`${order}/attempts`, { attempt: '2', phone: 'my phone' });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain(PHONE_PROBLEM);
    expect(answer.text).toContain(FAILURE_TEXTS.cancelled);
    expect(await shop.get(order)).toMatchObject({ status: 200 });
    expect(customer.charges()).toHaveLength(1);
  });

  it.each([
    ['an empty name', { name: '  ' }, 'name', 'Please give your name'],
    ['a name that is too long', { name: 'x'.repeat(81) }, 'name', 'shorten'],
    ['a control character in the name', { name: 'Jane\u0007' }, 'name', 'special characters'],
    ['an empty phone number', { phone: '' }, 'phone', 'Please give the phone number'],
    ['a very long phone number', { phone: '0'.repeat(10_000) }, 'phone', PHONE_PROBLEM],
  ])('is refused with %s, with the reason beside the field', async (_what, fields, field, text) => {
    const answer = await shop.checkout(fields);
    expect(answer.status).toBe(422);
    expect(answer.text).toMatch(
      new RegExp(`id="${field}-problem">[^<]*${text.replace(/\+/g, '\\+')}`),
    );
  });

  it('is refused while the phone shows a prompt for the same amount', async () => {
    const { phone } = shop.customer(DECIDES);
    await shop.pageWith(await shop.buy({ phone }), 'Check your phone');
    const { status, text } = await shop.checkout({ phone });
    expect(status).toBe(409);
    expect(text).toContain('No prompt on your phone?');
  });
});
