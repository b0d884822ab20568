import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { SweepsService, WebhookSubscriptionsService } from '@tillkit/payments';
import { DashboardVisitor, linksOf } from '../../support/dashboard.visitor.js';
import { filter, firstValueFrom } from 'rxjs';
import { deliverSigned, resultBody, webhookBody } from '../../support/deliver.js';
import { aRequestFrom } from '../../support/merchant.js';
import { DashboardHost, PERSON } from './dashboard.fixture.js';

/** Returns the text of a page on one line. */
const said = (text: string): string => text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

const day = (daysLater = 0): string =>
  new Date(Date.now() + daysLater * 86_400_000).toISOString().slice(0, 10);

describe('The statement of a day', () => {
  const host = new DashboardHost();

  beforeEach(() => host.open({}, { timeZone: 'UTC' }));

  it('has what came in, what went back and what remains, and the next day begins with it', async () => {
    await host.merchant.app.get(WebhookSubscriptionsService).create({
      eventType: 'buygoods_transaction_reversed',
      scope: 'till',
      scopeReference: '514459',
    });
    await host.paid({ idempotencyKey: 'a', amount: { currency: 'KES', value: '1250' } });
    const id = await host.paid({ idempotencyKey: 'b', amount: { currency: 'KES', value: '50.5' } });
    const { transaction } = (await host.merchant.payments.find(id))!;
    await host.merchant.simulator.reverse(transaction!.reference!);
    await host.merchant.received.next('payment.reversed');
    const today = said((await host.dashboard.get(`/statement?day=${day()}`)).text);
    expect(today).toContain('Opening KES 0.00');
    expect(today).toContain('In 2 KES 1,300.50');
    expect(today).toContain('Reversed 1 KES -50.50');
    expect(today).toContain('Paid out 0 KES 0.00');
    expect(today).toContain('Closing KES 1,250.00');
    expect(today).toContain('unmatched 0 KES 0.00');
    expect(today).toContain('This day is not over yet.');
    const tomorrow = said((await host.dashboard.get(`/statement?day=${day(1)}`)).text);
    expect(tomorrow).toContain('Opening KES 1,250.00');
    expect(tomorrow).toContain('In 0 KES 0.00');
    expect(tomorrow).toContain('Closing KES 1,250.00');
    const yesterday = said((await host.dashboard.get('/statement')).text);
    expect(yesterday).toContain(`Statement of ${day(-1)}`);
    expect(yesterday).toContain('No money moved on this day, and none before.');
  });

  it('counts money as received that was reversed before anybody saw it', async () => {
    const { app, simulator } = host.merchant;
    const paid = {
      tillNumber: '514459',
      phoneNumber: PERSON,
      silent: true,
      originatedAt: Date.now() - 5_000,
    };
    await simulator.payTill({ ...paid, amount: 350, reference: 'STAYS' });
    await simulator.payTill({ ...paid, amount: 100, reference: 'GONE' });
    await simulator.reverse('GONE');
    await app.get(SweepsService).sweep();
    const today = said((await host.dashboard.get(`/statement?day=${day()}`)).text);
    expect(today).toContain('In 2 KES 450.00 Reversed 1 KES -100.00');
    expect(today).toContain('Closing KES 350.00');
    expect(today).toContain('unmatched 1 KES 350.00');
    const unmatched = said((await host.dashboard.get('/transactions?state=unmatched')).text);
    expect(unmatched).toContain('STAYS');
    expect(unmatched).not.toContain('GONE');
  });

  it('counts a payment as received whose reversal came before its callback', async () => {
    const { payments, webhookUrl, simulator, received } = host.merchant;
    const { id } = await payments.request(aRequestFrom(PERSON));
    const { platformId } = (await payments.find(id))!;
    const { _links } = host.merchant.lastPost('/incoming_payments').body as {
      _links: { callback_url: string };
    };
    const money = {
      reference: 'BACK',
      sender_phone_number: PERSON,
      origination_time: new Date().toISOString(),
    };
    await deliverSigned(
      webhookUrl,
      webhookBody({ ...money, status: 'Reversed' }, { topic: 'buygoods_transaction_reversed' }),
      simulator.apiKey,
    );
    await received.next('till.transaction.reversed');
    const callback = resultBody(platformId!, _links.callback_url, {}, money);
    await deliverSigned(_links.callback_url, callback, simulator.apiKey);
    await received.next('payment.needs_review');
    await payments.resolve(id, { state: 'reversed', by: 'Jane', note: 'seen' });
    const today = said((await host.dashboard.get(`/statement?day=${day()}`)).text);
    expect(today).toMatch(/In 1 KES ([\d,.]+) Reversed 1 KES -\1 .* Closing KES 0.00/);
    expect(today).toContain('unmatched 0 KES 0.00');
  });

  it('has a CSV file with numbers', async () => {
    await host.paid({ amount: { currency: 'KES', value: '1250' } });
    const { text, headers } = await host.dashboard.get(`/statement.csv?day=${day()}`);
    expect(headers.get('content-disposition')).toContain(`statement-${day()}.csv`);
    expect(text.split('\r\n').slice(0, 3)).toEqual([
      '"day","timeZone","currency","entry","count","amount"',
      `"${day()}","UTC","KES","opening","","0.00"`,
      `"${day()}","UTC","KES","received","1","1250.00"`,
    ]);
  });

  it('is the same for everybody who opens its address, whatever their time zone', async () => {
    await host.merchant.close();
    await host.open();
    await host.paid({ amount: { currency: 'KES', value: '1250' } });
    // The days of these zones begin 25 hours apart.
    const zones = ['Pacific/Pago_Pago', 'Pacific/Kiritimati'];
    const [here, there] = zones.map(
      (zone) => new DashboardVisitor(host.dashboard.url, { cookie: `tillkit-time-zone=${zone}` }),
    );
    const link = linksOf((await here!.get('/statement')).text).find((one) =>
      one.includes('statement.csv'),
    )!;
    expect(link).toContain('zone=Pacific%2FPago_Pago');
    const path = link.replaceAll('&amp;', '&').replace(/^\./, '');
    const files = [await here!.get(path), await there!.get(path)];
    expect(files[1]!.text).toBe(files[0]!.text);
    const shared = await there!.get(path.replace('.csv', ''));
    expect(shared.text).toContain('All times are in Pacific/Pago_Pago');
    // Its form keeps the time zone of its days.
    expect(shared.text).toContain('name="zone" value="Pacific/Pago_Pago"');
  });

  it('ties to the list of the platform, and shows the one difference', async () => {
    await host.paid({ amount: { currency: 'KES', value: '1250' } });
    const equal = said((await host.dashboard.post('/statement', { day: day() })).text);
    expect(equal).toContain('Every transaction of the day is the same here and at the platform.');
    expect(equal).toContain('Here 1 KES 1,250.00 Platform 1 KES 1,250.00 Difference 0 KES 0.00');
    // Money that the platform does not list: somebody else's, or a forgery that its key has signed.
    const { webhookUrl, simulator, received } = host.merchant;
    const odd = webhookBody({
      reference: 'STRANGE',
      origination_time: new Date().toISOString(),
    });
    await deliverSigned(webhookUrl, odd, simulator.apiKey);
    await received.next('till.transaction.received');
    const different = await host.dashboard.post('/statement', { day: day() });
    expect(said(different.text)).toContain('One transaction differs.');
    expect(said(different.text)).toContain('Missing there (1)');
    expect(different.text).toContain('STRANGE');
  });

  it('shows money that no payment asked for', async () => {
    const { webhookUrl, simulator, received } = host.merchant;
    const walkedIn = webhookBody({ origination_time: new Date().toISOString() });
    await deliverSigned(webhookUrl, walkedIn, simulator.apiKey);
    await received.next('till.transaction.received');
    const today = said((await host.dashboard.get(`/statement?day=${day()}`)).text);
    expect(today).toMatch(/unmatched 1 KES [\d,.]+/);
    const other = await host.dashboard.get(`/statement?day=${day()}&till=000124`);
    expect(said(other.text)).toContain('No money moved on this day');
  });

  it.each([
    '/statement?day=soon',
    '/statement?day=2026-02-30',
    '/statement.csv?day=2026-2-3',
    '/statement?day=1969-12-31',
  ])('refuses %s and says what a day is', async (path) => {
    const { status, text } = await host.dashboard.get(path);
    expect(status).toBe(400);
    expect(text).toContain('Write a day as 2026-11-21.');
  });

  it.each(['/statement?day=9999-12-31', '/statement.csv?day=9999-12-31'])(
    'refuses %s, a day without a next one',
    async (path) => {
      const { status, text } = await host.dashboard.get(path);
      expect(status).toBe(400);
      expect(text).toContain('The calendar ends with this day.');
      expect((await host.dashboard.get(path.replace('-31', '-30'))).status).toBe(200);
    },
  );

  it('says that the list of the platform could not be read, and keeps the statement', async () => {
    await host.paid({ amount: { currency: 'KES', value: '1250' } });
    host.merchant.simulator.faults.once('create-5xx-before-commit', { resource: 'polling' });
    const { status, text } = await host.dashboard.post('/statement', { day: day() });
    expect(status).toBe(502);
    expect(said(text)).toContain('could not be read completely');
    expect(said(text)).toContain('Closing KES 1,250.00');
  });
});

describe('The totals by day and till', () => {
  const host = new DashboardHost();

  it('sum what was recorded on each day, as a page and as a CSV file', async () => {
    await host.open({}, { timeZone: 'UTC' });
    await host.paid({ idempotencyKey: 'a', amount: { currency: 'KES', value: '1250' } });
    await host.paid({ idempotencyKey: 'b', amount: { currency: 'KES', value: '0.5' } });
    const page = said((await host.dashboard.get('/totals?period=today')).text);
    expect(page).toContain(`${day()} 514459 2 2 KES 1,250.50`);
    expect(page).toContain('The time before 0 0 KES 0.00');
    const { text } = await host.dashboard.get(`/totals.csv?from=${day(-1)}&to=${day()}`);
    const [names, ...rows] = text.trimEnd().split('\r\n');
    expect(names).toContain('"day","till","currency","payments","paid","volume"');
    expect(rows).toEqual([
      `"${day()}","514459","KES","2","2","1250.50","0","0","0.00","0.00","0.00","1250.50"`,
    ]);
    const none = await host.dashboard.get('/totals?from=2026-01-01&to=2026-01-02');
    expect(said(none.text)).toContain('Nothing was recorded in this period.');
  });

  const rowsOf = async (): Promise<string[]> => {
    const { text } = await host.dashboard.get('/totals.csv?period=today');
    return text.trimEnd().split('\r\n').slice(1);
  };

  /** Waits until totals are counted again: they are cached for a second. */
  const nextCount = (): Promise<void> => setTimeout(1_050);

  /** Opens a host that gets the webhooks about all movements, and reads at once. */
  const openWithWebhooks = async (): Promise<void> => {
    const reconciliation = { scheduleMs: [20], intervalMs: 10 };
    await host.open({ payments: { reconciliation } }, { timeZone: 'UTC' });
    const subscriptions = host.merchant.app.get(WebhookSubscriptionsService);
    for (const eventType of [
      'buygoods_transaction_received',
      'buygoods_transaction_reversed',
    ] as const)
      await subscriptions.create({ eventType, scope: 'till', scopeReference: '514459' });
  };

  it('have one row for a till and its alias, under the number of the till', async () => {
    await host.open({ payments: { tillAliases: { K000123: '514459' } } }, { timeZone: 'UTC' });
    const amount = (value: string) => ({ amount: { currency: 'KES', value } });
    await host.paid({ idempotencyKey: 'b', tillNumber: 'K000123', ...amount('20') });
    const row = (count: number, sum: string): string =>
      `"${day()}","514459","KES","${count}","${count}","${sum}","0","0","0.00","0.00","0.00","${sum}"`;
    expect(await rowsOf()).toEqual([row(1, '20.00')]);
    await host.paid({ idempotencyKey: 'a', ...amount('10') });
    await nextCount();
    expect(await rowsOf()).toEqual([row(2, '30.00')]);
  });

  it('have a refund at the till that the money leaves', async () => {
    await openWithWebhooks();
    const { refunds, received } = host.merchant;
    const paymentId = await host.paid({ amount: { currency: 'KES', value: '800' } });
    await refunds.request({ idempotencyKey: 'r', paymentId, why: 'wrong size' });
    await received.next('refund.succeeded');
    await received.next('payment.reversed');
    expect(await rowsOf()).toEqual([
      `"${day()}","514459","KES","1","1","800.00","0","1","800.00","800.00","0.00","0.00"`,
    ]);
  });

  it('have the money of a payment link once it is paid, and what of it went back', async () => {
    await openWithWebhooks();
    const { links, refunds, simulator, received } = host.merchant;
    const amount = { currency: 'KES', value: '5000' };
    const { id } = await links.request({ idempotencyKey: 'l', amount });
    const link = await firstValueFrom(links.watch(id).pipe(filter(({ url }) => url !== null)));
    expect(await rowsOf()).toEqual([]);
    await simulator.payLink(link.platformId!, { phoneNumber: PERSON });
    const { transaction } = await received.next('payment-link.paid');
    await nextCount();
    expect(await rowsOf()).toEqual([
      `"${day()}","514459","KES","1","1","5000.00","0","0","0.00","0.00","0.00","5000.00"`,
    ]);
    const overview = said((await host.dashboard.get('/overview?period=today')).text);
    expect(overview).toMatch(/Volume KES 5,000.00 Net KES 5,000.00 Success rate – Payments 0/);
    const { reference } = transaction;
    const money = { reference, tillNumber: '514459' };
    await refunds.request({ idempotencyKey: 'r', ...money, why: 'wrong size' });
    await received.next('refund.succeeded');
    await received.next('payment-link.reversed');
    await nextCount();
    expect(await rowsOf()).toEqual([
      `"${day()}","514459","KES","1","1","5000.00","0","1","5000.00","5000.00","0.00","0.00"`,
    ]);
  });
});
