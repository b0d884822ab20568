import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OpenShop } from './shop.fixture.js';

describe('the till', () => {
  let shop: OpenShop;

  beforeAll(async () => {
    shop = await OpenShop.open();
  });

  afterAll(() => shop.close());

  it('shows an open page the money that arrives without an order', async () => {
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
    expect(last.content).toContain('KES 125.50');
    expect(last.content).toContain('<bdi>Amina Y.</bdi>');
    expect(last.content).toContain('Paid directly');
    expect(last.content).toContain('+254 7•• ••• 077');
    expect(last.announcement).toBe('Latest: KES 125.50 from Amina Y.');
    expect(shop.simulator.handset('+254700000077').inbox()).toHaveLength(1);
  });

  it('names the order that the money pays', async () => {
    const order = await shop.buy({ phone: shop.customer('01').phone });
    const page = await shop.pageWith(order, 'Paid. Asante!');
    const [, number] = /Order (\d{4}) ·/.exec(page)!;
    expect(await shop.pageWith('/till', `Order ${number}`)).toContain('Jane D.');
  });

  it('thanks the payer by SMS, once', async () => {
    const customer = shop.customer('01');
    await shop.pageWith(await shop.buy({ phone: customer.phone }), 'Paid. Asante!');
    while (customer.handset.inbox().length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await shop.simulator.idle();
    const [charge] = customer.charges();
    expect(customer.handset.inbox()).toMatchObject([
      { text: `Asante, Jane! Kibanda received KES 650. Receipt ${charge!.reference}.` },
    ]);
  });

  it.each([
    ['the answer to its request got lost', 'create-reset-after-commit'],
    ['the platform refused the first request for now', 'create-429'],
    ['the first request was certainly not carried out', 'create-302'],
  ] as const)('sends one SMS also when %s', async (_what, fault) => {
    const customer = shop.customer('01');
    shop.simulator.faults.once(fault, { resource: 'transaction_sms_notifications' });
    await shop.buy({ phone: customer.phone });
    while (customer.handset.inbox().length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await shop.simulator.idle();
    expect(customer.handset.inbox()).toHaveLength(1);
  });
});
