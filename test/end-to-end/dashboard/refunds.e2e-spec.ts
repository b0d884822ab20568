import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  MemoryStore,
  PaymentsAccounts,
  StoreUnavailableError,
  TokensService,
  WebhookSubscriptionsService,
} from '@tillkit/payments';
import { altered } from '../../support/altered.store.js';
import { captureLog, DashboardVisitor, type Shown } from '../../support/dashboard.visitor.js';
import { aRequest } from '../../support/merchant.js';
import { formTo, wordsOfPage, type PageForm } from '../../support/page.form.js';
import { DashboardHost, SECRET_DIGITS } from './dashboard.fixture.js';

const WHY = 'the goods are <b>out</b> of stock';

describe('A refund by an operator', () => {
  const host = new DashboardHost();

  beforeEach(() =>
    host.open(
      {},
      { operator: (request: { headers: Record<string, string> }) => request.headers['x-operator'] },
    ),
  );

  const operator = (name: string): DashboardVisitor =>
    new DashboardVisitor(host.dashboard.url, { 'x-operator': name });
  const refunds = () => host.merchant.simulator.refunds();

  /** Returns the page that repeats the refund, as an operator gets it by the link on a page. */
  const confirmation = async (
    query: string,
    visitor = operator('jane'),
    why = WHY,
  ): Promise<Shown> => {
    const form = formTo((await visitor.get(`/refunds/new?${query}`)).text, '/refunds/new');
    return visitor.post('/refunds/new', { ...form.fields, why });
  };
  const lastForm = async (...given: Parameters<typeof confirmation>): Promise<PageForm> =>
    formTo((await confirmation(...given)).text, '/refunds');

  it('repeats amount, payer, receipt and order, and then sends the money back once', async () => {
    const jane = operator('jane');
    const id = await host.paid({
      idempotencyKey: 'order 1042',
      amount: { currency: 'KES', value: '1250' },
    });
    const { transaction } = (await host.merchant.payments.find(id))!;
    expect((await jane.get(`/payments/${id}`)).text).toContain(`refunds/new?payment=${id}`);
    const page = await confirmation(`payment=${id}`);
    const words = wordsOfPage(page.text);
    for (const shown of ['KES 1,250.00', 'Jane Doe', transaction!.reference!, 'order 1042', WHY])
      expect(words).toContain(shown);
    expect(page.text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
    const { fields, button } = formTo(page.text, '/refunds');
    expect(button).toBe('Refund KES 1,250.00 to Jane Doe');
    expect(refunds()).toEqual([]);

    const log = captureLog();
    const sent = await jane.post('/refunds', fields);
    expect(sent.status).toBe(303);
    const [, refundId] = /refunds\/([\w-]{36})\?notice=refund-recorded$/.exec(sent.location!)!;
    expect(log.map(({ line }) => line)).toEqual([
      `dashboard of account default: jane asked for refund ${refundId} of KES 1,250.00`,
    ]);
    const refund = await host.merchant.refunds.find(refundId!);
    expect(refund).toMatchObject({ paymentId: id, why: WHY, requestedBy: 'jane' });
    const shown = wordsOfPage((await jane.get(`/refunds/${refundId}?notice=refund-recorded`)).text);
    for (const text of ['The refund is recorded once', 'requested by jane', WHY, '1,250.00'])
      expect(shown).toContain(text);
    expect((await jane.get(`/payments/${id}`)).text).toContain(`refunds/${refundId}`);
    expect((await jane.get('/refunds')).text).toContain(`refunds/${refundId}`);
    expect(JSON.stringify(refunds())).not.toContain('jane');
  });

  it('that is sent twice, or again by the back button, sends the money back once', async () => {
    const id = await host.paid();
    const jane = operator('jane');
    const { fields } = await lastForm(`payment=${id}`);
    const both = await Promise.all([jane.post('/refunds', fields), jane.post('/refunds', fields)]);
    await host.merchant.received.next('refund.succeeded');
    const later = await jane.post('/refunds', fields);
    const all = [...both, later].map(({ status, location }) => ({ status, location }));
    expect(all).toEqual(Array(3).fill({ status: 303, location: all[0]!.location }));
    expect(refunds()).toHaveLength(1);
  });

  it('that two operators ask for at the same moment is made once, and the other operator sees that', async () => {
    const id = await host.paid();
    const visitors = ['jane', 'joe'].map(operator);
    const forms = await Promise.all(visitors.map((visitor) => lastForm(`payment=${id}`, visitor)));
    const answers = await Promise.all(
      visitors.map((visitor, index) => visitor.post('/refunds', forms[index]!.fields)),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      303, 409,
    ]);
    const refused = answers.find(({ status }) => status === 409)!;
    expect(wordsOfPage(refused.text)).toContain('A refund has sent this money back, or may do so.');
    expect(refused.text).toMatch(/href="[./]*refunds\/[\w-]{36}"/);
    expect(refunds()).toHaveLength(1);
  });

  it('is refused when anything is changed between its page and its button', async () => {
    const id = await host.paid();
    const other = await host.paid();
    const { fields } = await lastForm(`payment=${id}`);
    const changed: Record<string, string>[] = [
      { amount: '1.00' },
      { currency: 'UGX' },
      { why: 'another reason' },
      { payment: other },
      { key: fields['key']!.replace(/.$/, (last) => (last === '0' ? '1' : '0')) },
      { seal: '' },
    ];
    for (const changes of changed) {
      const { status, text } = await operator('jane').post('/refunds', { ...fields, ...changes });
      expect({ changes, status }).toEqual({ changes, status: 409 });
      expect(text).toContain('The form is not what its page has shown');
    }
    const keyless = await operator('jane').post('/refunds', { ...fields, key: '' });
    expect(keyless.status).toBe(400);
    expect(refunds()).toEqual([]);
  });

  it('is refused with the key of a form that was used for other money or another reason', async () => {
    const jane = operator('jane');
    const [id, other] = [await host.paid(), await host.paid()];
    const { fields } = await lastForm(`payment=${id}`);
    await jane.post('/refunds', fields);
    await host.merchant.received.next('refund.succeeded');
    const withKey = async (payment: string, why: string): Promise<Shown> => {
      const changed = { key: fields['key']!, payment, why };
      const page = await jane.post('/refunds/new', changed);
      // The money of the first one cannot go back again, so that its page has no button any more.
      return page.status === 200
        ? jane.post('/refunds', formTo(page.text, '/refunds').fields)
        : page;
    };
    const used = await withKey(other, WHY);
    expect({ status: used.status, text: wordsOfPage(used.text) }).toMatchObject({
      status: 409,
      text: expect.stringContaining('This form was used before'),
    });
    expect((await withKey(id, 'another')).status).toBe(409);
    expect(refunds()).toHaveLength(1);
  });

  it('of money at a till that nobody asked for is found by its transaction', async () => {
    const { merchant } = host;
    await merchant.app.get(WebhookSubscriptionsService).create({
      eventType: 'buygoods_transaction_received',
      scope: 'till',
      scopeReference: '514459',
    });
    const { reference } = await merchant.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: '+254700000001',
      amount: 50,
    });
    await merchant.received.next('till.transaction.received');
    const query = `till=514459&reference=${reference}`;
    const page = await operator('jane').get(`/transaction?${query}`);
    expect(page.text.replaceAll('&amp;', '&')).toContain(`refunds/new?${query}`);
    const { fields, button } = await lastForm(query);
    expect(button).toMatch(/^Refund KES 50\.00 to /);
    const { location } = await operator('jane').post('/refunds', fields);
    await merchant.received.next('refund.succeeded');
    const [, id] = /refunds\/([\w-]{36})/.exec(location!)!;
    expect((await operator('jane').get(`/transaction?${query}`)).text).toContain(`refunds/${id}`);
    expect(refunds()).toHaveLength(1);
  });

  it('is refused in plain words when the money cannot go back, or sending is paused', async () => {
    const { merchant } = host;
    const jane = operator('jane');
    const { id: unpaid } = await merchant.payments.request(
      aRequest({ subscriber: { firstName: 'A', lastName: 'B', phoneNumber: '+254700000014' } }),
    );
    const refused = await jane.get(`/refunds/new?payment=${unpaid}`);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('Only a payment that succeeded can be refunded.');
    expect((await jane.get('/refunds/new?payment=none')).status).toBe(404);
    expect((await jane.get('/refunds/new')).status).toBe(404);

    const id = await host.paid();
    const { fields } = await lastForm(`payment=${id}`);
    const accounts = merchant.app.get(PaymentsAccounts);
    await accounts.pause({ account: 'default', by: 'joe <i>', note: 'a restore' });
    const paused = await jane.post('/refunds', fields);
    expect(paused.status).toBe(409);
    expect(wordsOfPage(paused.text)).toContain('Sending is paused by joe <i> : a restore');
    expect(paused.text).not.toContain('<i>');
    expect(refunds()).toEqual([]);
    await accounts.resume({ account: 'default', by: 'joe', note: 'done' });
    expect((await jane.post('/refunds', fields)).status).toBe(303);
    expect(refunds()).toHaveLength(1);
  });

  it('keeps what was typed when it is refused, and shows names and reasons as text', async () => {
    const hostile = '"><script>alert(1)</script>';
    const id = await host.paid({
      subscriber: { firstName: hostile, lastName: '\u202Eeod', phoneNumber: '+254700000001' },
    });
    const jane = operator('jane');
    const { fields } = formTo((await jane.get(`/refunds/new?payment=${id}`)).text, '/refunds/new');
    const long = await jane.post('/refunds/new', { ...fields, why: 'x'.repeat(501) });
    expect(long.status).toBe(400);
    expect(long.text).toContain('too long');
    expect(formTo(long.text, '/refunds/new').fields).toEqual({ ...fields, why: 'x'.repeat(501) });
    const page = await jane.post('/refunds/new', { ...fields, why: hostile });
    expect(page.text).not.toContain('<script>alert');
    expect(page.text).not.toContain('\u202E');
    const { location } = await jane.post('/refunds', formTo(page.text, '/refunds').fields);
    const shown = await fetch(location!);
    expect(await shown.text()).not.toContain('<script>alert');
  });

  it('whose recording has no answer is sent once by the same button, which its page shows again', async () => {
    await host.merchant.close();
    const store = new MemoryStore();
    let isAnswerLost = false;
    altered(store, {
      operations: {
        record: (original) =>
          (async (...given: Parameters<typeof original>) => {
            const recorded = await original(...given);
            if (isAnswerLost) throw new StoreUnavailableError('the answer was lost');
            return recorded;
          }) as typeof original,
      },
    });
    await host.open({ payments: { store } });
    const id = await host.paid();
    const { fields } = await lastForm(`payment=${id}`);
    // With a token at hand, a read finds what was recorded, and it is sent all the same.
    await host.merchant.app.get(TokensService).revoke();
    isAnswerLost = true;
    const lost = await host.dashboard.post('/refunds', fields);
    expect(lost.status).toBe(503);
    expect(wordsOfPage(lost.text)).toContain('nobody knows yet whether this was recorded');
    const again = formTo(lost.text, '/refunds');
    expect(again.fields).toEqual(fields);
    expect(refunds()).toEqual([]);
    isAnswerLost = false;
    const sent = await host.dashboard.post('/refunds', again.fields);
    expect(sent.status).toBe(303);
    await host.merchant.received.next('refund.succeeded');
    expect(refunds()).toHaveLength(1);
  });
});
