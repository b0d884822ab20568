import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OpenShop } from './shop.fixture.js';

describe('A payment link of the sample shop', () => {
  let shop: OpenShop;

  beforeAll(async () => {
    shop = await OpenShop.open();
  });

  afterAll(() => shop.close());

  const share = (order: string, number = '1') => shop.post(`${order}/links`, { link: number });

  /** Returns an order whose customer cancelled the payment. */
  const failedOrder = async (): Promise<string> => {
    const order = await shop.buy({ phone: shop.customer('02').phone });
    expect(await shop.pageWith(order, 'Try again')).toContain('Share a payment link');
    return order;
  };

  const urlOn = (page: string): string => /value="([^"]+\/links\/[^"]+)"/.exec(page)?.[1] ?? '';

  /** Returns the URL of the link of an order. */
  const shared = async (order: string): Promise<string> => {
    await share(order);
    return urlOn(await shop.pageWith(order, 'id="link"'));
  };

  const pay = (url: string, phoneNumber: string) =>
    shop.simulator.payLink(url.slice(url.lastIndexOf('/') + 1), { phoneNumber });

  it('can be opened and paid by somebody else, and the order becomes paid on its open page', async () => {
    const order = await failedOrder();
    const url = await shared(order);
    const link = await fetch(url);
    expect(link.status).toBe(200);
    expect(await link.text()).toContain('Pay KES 650.00');
    const seen = shop.sectionsUntil(`${order}/events`, 'Paid. Asante!');
    const friend = shop.customer('01');
    await pay(url, friend.internationalPhone);
    const last = (await seen).at(-1)!;
    expect(last.isFinal).toBe(true);
    expect(last.content).toContain(`+254 7•• ••• ${friend.phone.slice(-3)}`);
    const [, number] = /Order (\d{4}) ·/.exec(last.title)!;
    await shop.pageWith('/till', `Order ${number}`);
  });

  it('is one link when its form is sent many times, and meanwhile the payment cannot be retried', async () => {
    const order = await failedOrder();
    const before = shop.simulator.links().length;
    await Promise.all(Array.from({ length: 5 }, () => share(order)));
    expect(await shop.pageWith(order, 'id="link"')).not.toContain('Try again');
    const customer = shop.customer('01');
    await shop.post(`${order}/attempts`, { attempt: '2', phone: customer.phone });
    await shop.simulator.idle();
    expect(customer.charges()).toHaveLength(0);
    expect(shop.simulator.links()).toHaveLength(before + 1);
  });

  it('is either shown or the payment is retried, when both forms are sent at the same time', async () => {
    const order = await failedOrder();
    const customer = shop.customer('14');
    await Promise.all([
      share(order),
      shop.post(`${order}/attempts`, { attempt: '2', phone: customer.phone }),
    ]);
    const isShared = (await shop.get(order)).text.includes('Share the payment link');
    const page = await shop.pageWith(order, isShared ? 'id="link"' : 'Check your phone');
    expect(page).not.toContain('Try again');
    expect(urlOn(page) !== '').toBe(isShared);
    await shop.simulator.idle();
    expect(customer.charges().length > 0).toBe(!isShared);
  });

  it('that is cancelled cannot be paid, and the payment can be retried', async () => {
    const order = await failedOrder();
    const url = await shared(order);
    expect((await shop.post(`${order}/links/cancel`, {})).location).toBe(order);
    await shop.pageWith(order, 'Try again');
    await expect(pay(url, '+254700000001')).rejects.toThrow('cancelled');
    expect((await shop.post(`${order}/links/cancel`, {})).location).toBe(order);
    await share(order, '2');
    expect(urlOn(await shop.pageWith(order, 'id="link"'))).not.toBe(url);
  });

  it('that was paid is not cancelled', async () => {
    const order = await failedOrder();
    await pay(await shared(order), '+254700000001');
    expect((await shop.post(`${order}/links/cancel`, {})).location).toBe(order);
    await shop.pageWith(order, 'Paid. Asante!');
  });

  it('pays an order that can be refunded to whoever paid', async () => {
    const order = await failedOrder();
    const friend = shop.customer('61');
    await pay(await shared(order), friend.internationalPhone);
    const [, number] = /Order (\d{4}) ·/.exec(await shop.pageWith(order, 'Refund this order'))!;
    // The platform's webhook confirms the money, which is refundable then.
    await shop.pageWith('/till', `Order ${number}`);
    const { text } = await shop.get(`${order}/refund`);
    expect(text).toContain(`+254 7•• ••• ${friend.phone.slice(-3)}`);
    await shop.post(`${order}/refunds`, { refund: '1' });
    await shop.pageWith(order, 'Refunded');
    expect(shop.simulator.balance(`mobile_wallet:${friend.internationalPhone}`)).toBe(65_000);
  });
});
