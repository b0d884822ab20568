import { beforeEach, describe, expect, it } from '@jest/globals';
import { SweepsService } from '@tillkit/payments';
import { captureLog } from '../../support/dashboard.visitor.js';
import { deliverSigned, resultBody } from '../../support/deliver.js';
import { aRequestFrom, aRequestOfAnother } from '../../support/merchant.js';
import { until } from '../../support/until.js';
import { DashboardHost, PERSON, PHONE, SECRET_DIGITS } from './dashboard.fixture.js';

describe('The page of a payment', () => {
  const host = new DashboardHost();

  beforeEach(() => host.open());

  it('shows its history, events and listener calls with their sources', async () => {
    // The customer pays after the platform has answered: a callback that overtakes the answer has another history.
    const { id } = await host.merchant.payments.request(aRequestFrom(PERSON));
    const handset = host.merchant.simulator.handset(PERSON);
    while (!handset.prompts().some(({ state }) => state === 'open')) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    handset.approve();
    await host.merchant.received.next('payment.succeeded');
    const text = await host.dashboard.pageWith(
      `/payments/${id}`,
      'RecordedEvents.succeeded</bdi> completed',
    );
    const words = text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
    expect(words).toMatch(
      /Recorded by request .* Sending to the platform by request .* Accepted by the platform: the phone shows the prompt by request .* Paid by callback .* Event payment\.succeeded by callback .* RecordedEvents\.succeeded completed/,
    );
    expect(words).toMatch(/pending to succeeded/);
    expect(words).toMatch(/completed .* at the first attempt/);
    expect(words).toMatch(/ms after recording|\d s after recording/);
    expect(text).toMatch(/<time datetime="20\d\d-\d\d-\d\dT[\d:.]+Z">/);
    expect(words).toContain('KES 100.00');
    const payment = await host.merchant.payments.find(id);
    expect(words).toContain(payment!.transaction!.reference!);
    expect(words).toContain(payment!.platformId!);
  });

  it('says why an open payment waits and when it is read next, until it is settled', async () => {
    const { id } = await host.merchant.payments.request(aRequestFrom(PERSON));
    const open = await host.dashboard.get(`/payments/${id}`);
    expect(open.text).toMatch(
      /The platform has accepted it, and no result has come yet\.\s+The library looks at it next: <time datetime="20/,
    );
    const { text } = await host.dashboard.get(`/payments/${await host.paid()}`);
    expect(text).not.toContain('looks at it next');
  });

  it('shows the reason of a failure and the errors of the platform', async () => {
    const { id } = await host.merchant.payments.request(aRequestFrom('+254700000002'));
    await host.merchant.received.next('payment.failed');
    const { text } = await host.dashboard.get(`/payments/${id}`);
    expect(text).toContain('Reason: cancelled on the phone.');
    expect(text).toMatch(/<ul>\s*<li><bdi>.*cancelled/i);
    expect(text).not.toContain('may have paid directly');
  });

  it('shows money of the same number and amount that belongs to no payment, beside a failure', async () => {
    const phoneNumber = '+254700000002';
    const { id } = await host.merchant.payments.request(aRequestFrom(phoneNumber));
    await host.merchant.received.next('payment.failed');
    const paid = { tillNumber: '514459', phoneNumber, amount: 100 };
    const { reference } = await host.merchant.simulator.payTill(paid);
    await until(async () => {
      await host.merchant.app.get(SweepsService).sweep();
      return (await host.merchant.store.transactions.find('default', reference)) !== null;
    });
    const { text } = await host.dashboard.get(`/payments/${id}`);
    expect(text).toContain('may have paid directly');
    expect(text).toContain(`reference=${reference}`);
  });

  it('shows the failed attempts to send of a payment that was not sent, and does not say that it was sent', async () => {
    await host.merchant.close();
    await host.open({ payments: { sending: { sendBeforeMs: 4_000 } } });
    await host.paid();
    await host.merchant.simulator.stop();
    const request = () => host.merchant.payments.request(aRequestOfAnother());
    let payment = await request();
    // The first payments may use a connection from before the stop.
    while (payment.state === 'unknown') payment = await request();
    const { text } = await host.dashboard.get(`/payments/${payment.id}`);
    const words = text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
    expect(words).toMatch(
      /Recorded by .* Sending to the platform by .* Attempt to send failed by request .*attempt 1, .*ECONNREFUSED.* Failed: not sent by request/,
    );
    expect(words).not.toMatch(/Sent to/i);
  });

  it('masks the phone number until the operator asks for it, and logs the look-up', async () => {
    const id = await host.paid({
      idempotencyKey: `order of 254700000001`,
      metadata: { callHim: 'on 0700 000 001', mail: 'or +254700000001' },
    });
    const log = captureLog();
    const masked = await host.dashboard.get(`/payments/${id}`);
    const list = await host.dashboard.get('/payments');
    for (const { text } of [masked, list]) {
      expect(text).toContain('+254 7•• ••• •01');
      expect(text).toContain('phone number ending in 0 1');
      expect(text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
    }
    expect(log).toEqual([]);
    const shown = await host.dashboard.post(`/payments/${id}/phone`);
    expect(shown.status).toBe(200);
    expect(shown.text).toContain('+254 700 000 001');
    expect(shown.headers.get('cache-control')).toBe('no-store');
    expect(log).toEqual([
      {
        level: 'log',
        line: `dashboard of account default: unknown operator looked up the phone number of payment ${id}`,
      },
    ]);
    expect((await host.dashboard.get(`/payments/${id}/phone`)).text).not.toContain('700 000 001');
  });

  it('logs a search by phone number without the number', async () => {
    await host.paid();
    const log = captureLog();
    await host.dashboard.post('/find', { words: PHONE });
    await host.dashboard.post('/payments/search', { phone: '0700000001' });
    const line =
      'dashboard of account default: unknown operator searched payments by phone number +254 7•• ••• •01';
    expect(log.map((entry) => entry.line)).toEqual([line, line]);
  });

  it('records a decision of a person on a payment in review', async () => {
    const { id, platformId } = await host.merchant.payments.request(aRequestFrom(PERSON));
    const { payments, simulator, webhookUrl } = host.merchant;
    const url = webhookUrl.replace('webhooks', `callbacks/incoming-payments/${id}`);
    const less = { reference: 'ANOTHER', amount: '99.0', sender_phone_number: PERSON };
    const body = resultBody(platformId!, url, {}, less);
    await deliverSigned(url, body, simulator.apiKey);
    await host.merchant.received.next('payment.needs_review');
    expect((await host.dashboard.get('/overview')).text).toContain('Needs attention');
    const page = await host.dashboard.get(`/payments/${id}`);
    expect(page.text).toContain('the amount paid is different');
    expect(page.text).toContain('Save the decision');
    for (const wrong of [
      { state: '', note: 'x' },
      { state: 'rich', note: 'x' },
      { state: 'failed', note: ' ' },
    ]) {
      expect((await host.dashboard.post(`/operations/${id}/review`, wrong)).status).toBe(409);
    }
    expect((await payments.find(id))!.state).toBe('needs_review');
    const back = await host.dashboard.post(`/operations/${id}/review`, {
      state: 'reversed',
      note: 'x',
    });
    expect(back.status).toBe(409);
    expect(back.text).toContain('has reported no reversal of transaction ANOTHER');
    const word = { state: 'succeeded', note: 'it is on the statement', reference: 'ANOTHER' };
    const { status, location } = await host.dashboard.post(`/operations/${id}/review`, word);
    expect({ status, location }).toEqual({
      status: 303,
      location: `${host.dashboard.url}/payments/${id}?notice=resolved`,
    });
    const settled = await host.dashboard.get(`/payments/${id}?notice=resolved`);
    expect(settled.text).toContain('Your decision is recorded');
    expect(settled.text).toContain(
      'resolved as succeeded by unknown operator: it is on the statement',
    );
    const late = await host.dashboard.post(`/operations/${id}/review`, { ...word, note: 'late' });
    expect(late.text).toContain('it is succeeded, and no decision is open');
    expect((await host.dashboard.post('/operations/none/review', word)).status).toBe(404);
  });
});
