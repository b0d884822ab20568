import { beforeEach, describe, expect, it } from '@jest/globals';
import { WebhookSubscriptionsService } from '@tillkit/payments';
import { captureLog, type Shown } from '../../support/dashboard.visitor.js';
import { formTo, wordsOfPage } from '../../support/page.form.js';
import { DashboardHost } from './dashboard.fixture.js';

describe('A payment link by an operator', () => {
  const host = new DashboardHost();

  beforeEach(() => host.open({}, { operator: () => 'jane' }));

  const LINK = { amount: '1250', paymentReference: 'order <b>1042</b>', note: '2 chairs' };

  const checked = async (changes: Record<string, string> = LINK): Promise<Shown> => {
    const { fields } = formTo(
      (await host.dashboard.get('/payment-links/new')).text,
      '/payment-links/new',
    );
    return host.dashboard.post('/payment-links/new', { ...fields, ...changes });
  };
  const made = async (): Promise<string> => {
    const { fields } = formTo((await checked()).text, '/payment-links');
    const { location } = await host.dashboard.post('/payment-links', fields);
    return /payment-links\/([\w-]{36})/.exec(location!)![1]!;
  };
  const creates = (): number => host.merchant.creates('/payment_links');

  it('repeats what it is for, is made once, and shows its address', async () => {
    const page = await checked();
    expect(wordsOfPage(page.text)).toMatch(/KES 1,250\.00 .*order <b>1042<\/b> .*2 chairs/);
    const { fields, button } = formTo(page.text, '/payment-links');
    expect(button).toBe('Make the link for KES 1,250.00');
    expect(creates()).toBe(0);
    const log = captureLog();
    const sent = await Promise.all([
      host.dashboard.post('/payment-links', fields),
      host.dashboard.post('/payment-links', fields),
    ]);
    sent.push(await host.dashboard.post('/payment-links', fields));
    expect(new Set(sent.map(({ location }) => location)).size).toBe(1);
    expect(creates()).toBe(1);
    const [, id] = /payment-links\/([\w-]{36})/.exec(sent[0]!.location!)!;
    expect(log[0]?.line).toContain(`jane asked for payment link ${id} of KES 1,250.00`);
    const link = await host.merchant.links.find(id!);
    const shown = await host.dashboard.get(`/payment-links/${id}`);
    expect(shown.text).toContain(`value="${link!.url}"`);
    expect(wordsOfPage(shown.text)).toMatch(/requested by jane .*order <b>1042<\/b>/);
    expect((await host.dashboard.get('/payment-links')).text).toContain(`payment-links/${id}`);
  });

  it('is refused with wrong fields, which are kept, and when it was changed on the way', async () => {
    const wrong = await checked({ ...LINK, amount: '0', currency: '!' });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('Write an amount above 0');
    expect(wrong.text).toContain('Write the code of a currency');
    const kept = formTo(wrong.text, '/payment-links/new').fields;
    expect(kept).toMatchObject({ ...LINK, amount: '0', currency: '!' });
    const { fields } = formTo((await checked()).text, '/payment-links');
    const changed = await host.dashboard.post('/payment-links', { ...fields, amount: '1' });
    expect(changed.status).toBe(409);
    expect(creates()).toBe(0);
    await host.dashboard.post('/payment-links', fields);
    const page = await host.dashboard.post('/payment-links/new', { ...fields, amount: '1' });
    const used = await host.dashboard.post(
      '/payment-links',
      formTo(page.text, '/payment-links').fields,
    );
    expect(used.status).toBe(409);
    expect(used.text).toContain('This form was used before');
    expect(creates()).toBe(1);
  });

  it('is cancelled once, with the name of the operator in its history', async () => {
    const id = await made();
    expect((await host.dashboard.get(`/payment-links/${id}`)).text).toContain(`${id}/cancel`);
    const page = await host.dashboard.get(`/payment-links/${id}/cancel`);
    const form = formTo(page.text, `/payment-links/${id}/cancel`);
    expect(form.button).toBe('Cancel the link for KES 1,250.00');
    const both = [await host.dashboard.post(form.path), await host.dashboard.post(form.path)];
    for (const { location } of both) expect(location).toContain('notice=link-cancelled');
    expect(await host.merchant.links.find(id)).toMatchObject({
      state: 'failed',
      reason: 'cancelled',
    });
    const { text } = await host.dashboard.get(`/payment-links/${id}`);
    expect(wordsOfPage(text)).toContain('cancelling asked for by jane');
    expect(text).not.toContain(`${id}/cancel`);
    expect((await host.dashboard.get('/payment-links/none')).status).toBe(404);
    const payment = await host.paid();
    expect((await host.dashboard.post(`/payment-links/${payment}/cancel`)).status).toBe(404);
  });

  it('is cancelled on a page that masks a phone number in what it is for', async () => {
    const { id } = await host.merchant.links.request({
      idempotencyKey: 'order-1',
      amount: { currency: 'KES', value: '10' },
      paymentReference: 'for 0700 000 001',
    });
    const { text } = await host.dashboard.get(`/payment-links/${id}/cancel`);
    expect(wordsOfPage(text)).toMatch(/for •+/);
    expect(text).not.toContain('000 001');
  });

  it('that is paid shows who paid, leads to its transaction, and can be refunded', async () => {
    await host.merchant.app.get(WebhookSubscriptionsService).create({
      eventType: 'buygoods_transaction_received',
      scope: 'till',
      scopeReference: '514459',
    });
    const id = await made();
    const link = await host.merchant.links.find(id);
    await host.merchant.simulator.payLink(link!.platformId!, { phoneNumber: '+254700000001' });
    await host.merchant.received.next('payment-link.paid');
    await host.merchant.received.next('till.transaction.received');
    const { text } = await host.dashboard.get(`/payment-links/${id}`);
    expect(text).toContain(`refunds/new?payment=${id}`);
    const { fields } = formTo(
      (await host.dashboard.get(`/refunds/new?payment=${id}`)).text,
      '/refunds/new',
    );
    const page = await host.dashboard.post('/refunds/new', { ...fields, why: 'broken' });
    await host.dashboard.post('/refunds', formTo(page.text, '/refunds').fields);
    const { refund } = await host.merchant.received.next('refund.succeeded');
    expect(refund).toMatchObject({ paymentId: null, requestedBy: 'jane' });
    const shown = await host.dashboard.get(`/refunds/${refund.id}`);
    expect(shown.text).toContain(`payment-links/${id}`);
    expect((await host.dashboard.get(`/payment-links/${id}`)).text).toContain(
      `refunds/${refund.id}`,
    );
  });
});
