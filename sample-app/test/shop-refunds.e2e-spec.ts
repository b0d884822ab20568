import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RefundsService } from '@tillkit/payments';
import { until } from '../../test/support/until.js';
import { REFUND_PROBLEM } from '../src/orders/refund.page.js';
import { PRACTICE_TILL } from '../src/practice/practice-platform.js';
import { OpenShop, type Customer } from './shop.fixture.js';

const HOUR = 3_600_000;

describe('A refund of the sample shop', () => {
  let shop: OpenShop;

  beforeAll(async () => {
    shop = await OpenShop.open();
  });

  afterAll(() => shop.close());

  const refund = (order: string, number = '1') => shop.post(`${order}/refunds`, { refund: number });
  /** Returns the money that the customer got back, in cents. */
  const gotBack = ({ internationalPhone }: Customer): number =>
    shop.simulator.balance(`mobile_wallet:${internationalPhone}`);

  it('repeats the amount and a part of the phone number before it sends the money back', async () => {
    const customer = shop.customer('61');
    const order = await shop.buyAndPay(customer);
    expect((await shop.get(order)).text).toContain(`href="${order}/refund"`);
    const { text } = await shop.get(`${order}/refund`);
    expect(text).toContain('Refund KES 650.00');
    expect(text).toContain(`+254 7•• ••• ${customer.phone.slice(-3)}`);
    expect(text).not.toContain(customer.phone.slice(-6));
    expect(gotBack(customer)).toBe(0);
  });

  it('is shown on an open page from its start to its end, and the till says that the money went back', async () => {
    const customer = shop.customer('61');
    const order = await shop.buyAndPay(customer);
    const before = shop.simulator.refunds().length;
    shop.simulator.payout(customer.internationalPhone, 'slow');
    expect((await refund(order)).location).toBe(order);
    await until(() => shop.simulator.refunds().length > before);
    let arrived: Promise<void> | undefined;
    const arrive = (): Promise<void> => (arrived ??= shop.simulator.clock.advance(2 * HOUR));
    const announcements: string[] = [];
    let isAtItsEnd = false;
    for await (const { announcement, isFinal } of shop.sections(`${order}/events`)) {
      announcements.push(announcement);
      if (announcement.startsWith('Refund under way')) await arrive();
      isAtItsEnd = isFinal;
      if (isFinal) break;
    }
    expect(announcements.join('\n')).toMatch(/Refund under way[^]*Refunded/);
    expect(isAtItsEnd).toBe(true);
    expect(gotBack(customer)).toBe(65_000);
    expect((await shop.get(order)).text).not.toContain('Refund this order');
    await shop.pageWith('/till', '<s>KES 650.00</s>');
  });

  it('sends the money back once when its form is sent many times', async () => {
    const customer = shop.customer('61');
    const order = await shop.buyAndPay(customer);
    const answers = await Promise.all(Array.from({ length: 5 }, () => refund(order)));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(303));
    await shop.pageWith(order, 'Refunded');
    expect((await refund(order, '2')).location).toBe(order);
    expect((await shop.get(`${order}/refund`)).location).toBe(order);
    await shop.simulator.idle();
    expect(gotBack(customer)).toBe(65_000);
  });

  it('that failed leaves the order paid, and can be requested again', async () => {
    const customer = shop.customer('61');
    const order = await shop.buyAndPay(customer);
    shop.simulator.payout(customer.internationalPhone, 'cancelled');
    await refund(order);
    await shop.confirmFailure('refund');
    const failed = await shop.pageWith(order, 'Refund failed');
    expect(failed).toContain('Total paid');
    expect(failed).toContain('Refund this order');
    shop.simulator.payout(customer.internationalPhone, 'transferred');
    await refund(order, '2');
    await shop.pageWith(order, 'Refunded');
    expect(gotBack(customer)).toBe(65_000);
  });

  it('is refused in plain words when the money is on its way back by another request, and nothing is sent', async () => {
    const customer = shop.customer('64');
    const order = await shop.buyAndPay(customer);
    const [charge] = customer.charges();
    await shop.app.get(RefundsService).request({
      idempotencyKey: 'by hand',
      reference: String(charge?.reference),
      tillNumber: PRACTICE_TILL,
      why: 'asked by phone',
    });
    const before = shop.simulator.refunds().length;
    const { status, text } = await refund(order);
    expect([status, text.includes(REFUND_PROBLEM)]).toEqual([422, true]);
    await shop.simulator.idle();
    expect(shop.simulator.refunds()).toHaveLength(before);
    expect((await shop.get(order)).text).toContain('Paid. Asante!');
  });

  it('needs an order that is paid', async () => {
    const customer = shop.customer('02');
    const order = await shop.buy({ phone: customer.phone });
    await shop.pageWith(order, 'Try again');
    expect((await shop.get(`${order}/refund`)).location).toBe(order);
    expect((await refund(order)).location).toBe(order);
    expect((await shop.get(order)).text).toContain('Try again');
  });

  it('is not needed when the platform reversed the payment: the page shows that the money was given back', async () => {
    const order = await shop.buyAndPay(shop.customer('13'));
    await shop.simulator.clock.advance(60_000);
    const page = await shop.pageWith(order, 'Your money was given back');
    expect(page).not.toContain('Refund');
  });
});
