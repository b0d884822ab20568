import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventsService } from '@tillkit/payments';
import { OpenShop } from './shop.fixture.js';

describe('The till of the sample shop', () => {
  let shop: OpenShop;

  beforeAll(async () => {
    shop = await OpenShop.open({ listeners: { retryScheduleMs: [1] } });
  });

  afterAll(() => shop.close());

  it('shows money without an order on an open page', async () => {
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

  it('shows the order of the money', async () => {
    const order = await shop.buy({ phone: shop.customer('01').phone });
    const page = await shop.pageWith(order, 'Paid. Asante!');
    const [, number] = /Order (\d{4}) ·/.exec(page)!;
    expect(await shop.pageWith('/till', `Order ${number}`)).toContain('Jane D.');
  });

  it('shows that money went back', async () => {
    const { reference } = await shop.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: '+254700000078',
      amount: 77,
    });
    await shop.pageWith('/till', 'KES 77.00');
    expect((await shop.get('/till')).text).not.toContain('<s>KES 77.00</s>');
    const seen = shop.sectionsUntil('/till/events', 'Went back');
    await shop.simulator.reverse(reference!);
    const last = (await seen).at(-1)!;
    expect(last.content).toContain('<s>KES 77.00</s>');
    expect(last.announcement).toMatch(/went back$/);
  });

  it('shows money whose listener was broken after the listener is repaired and the dead letter is replayed', async () => {
    await shop.post('/till/listener', { action: 'break' });
    const payment = { tillNumber: '514459', phoneNumber: '+254700000079', amount: 41 };
    await shop.simulator.payTill(payment);
    await shop.pageWith('/dashboard/dead-letters', 'TillListener.storeTransaction');
    expect((await shop.get('/till')).text).not.toContain('KES 41.00');
    await shop.post('/till/listener', { action: 'repair' });
    await shop.app.get(EventsService).replayDeadLetters();
    expect(await shop.pageWith('/till', 'KES 41.00')).toContain('Break the listener');
  });

  it('shows a payer with one name without a mark for the last name', async () => {
    await shop.buy({ name: 'Tabs', phone: shop.customer('01').phone });
    expect(await shop.pageWith('/till', 'Tabs')).toContain('<bdi>Tabs</bdi>');
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
      { text: `Asante, Jane! Kibanda received KES 650.00. Receipt ${charge!.reference}.` },
    ]);
  });

  it.each([
    ['the answer to its request was lost', 'create-reset-after-commit'],
    ['the platform answered the first request with 429', 'create-429'],
    ['the platform did not carry out the first request', 'create-302'],
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
