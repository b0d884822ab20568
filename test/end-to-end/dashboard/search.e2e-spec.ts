import { beforeEach, describe, expect, it } from '@jest/globals';
import { PayoutsService } from '@tillkit/payments';
import { linksOf } from '../../support/dashboard.visitor.js';
import { deliverSigned, webhookBody } from '../../support/deliver.js';
import { aRequestFrom } from '../../support/merchant.js';
import { DashboardHost, listedIds, PERSON, SECRET_DIGITS } from './dashboard.fixture.js';

describe('A search for payments', () => {
  const host = new DashboardHost();

  beforeEach(() => host.open());

  it.each([
    ['the phone number in the international form', '+254700000001'],
    ['the same without its plus', '254700000001'],
    ['the same with spaces and dashes', '+254 700-000 001'],
    ['the phone number as people write it', '0700 000 001'],
    ['the phone number without anything before it', '700000001'],
  ])('finds a payment by %s, and no address contains the number', async (_, words) => {
    const id = await host.paid();
    const { id: other } = await host.merchant.payments.request(aRequestFrom(PERSON));
    const found = await host.dashboard.post('/find', { words });
    expect(found.status).toBe(200);
    expect(listedIds(found)).toEqual([id]);
    expect(listedIds(found)).not.toContain(other);
    expect(linksOf(found.text).join().replace(/\D/g, '')).not.toContain(SECRET_DIGITS);
  });

  it('finds a payment by its id, its order number, its id at the platform and the reference of its transaction', async () => {
    const id = await host.paid({ idempotencyKey: 'order 17/1' });
    const payment = await host.merchant.payments.find(id);
    for (const words of [
      id,
      'order 17/1',
      payment!.platformId!,
      payment!.transaction!.reference!,
    ]) {
      const { status, location } = await host.dashboard.post('/find', { words });
      expect({ words, status, location }).toEqual({
        words,
        status: 303,
        location: `${host.dashboard.url}/payments/${id}`,
      });
    }
  });

  it('finds a transaction that belongs to no payment by its reference', async () => {
    await deliverSigned(
      host.merchant.webhookUrl,
      webhookBody({ reference: 'WALKED-IN' }),
      host.merchant.simulator.apiKey,
    );
    await host.merchant.received.next('till.transaction.received');
    const { location } = await host.dashboard.post('/find', { words: 'WALKED-IN' });
    expect(location).toBe(`${host.dashboard.url}/transaction?till=514459&reference=WALKED-IN`);
    const page = await host.dashboard.get('/transaction?till=514459&reference=WALKED-IN');
    expect(page.text).toContain('none known');
    expect(page.text).toContain('Event till.transaction.received');
  });

  it('finds a payout by its id and order number, and does not list it among payments', async () => {
    const { id } = await host.merchant.app.get(PayoutsService).request({
      idempotencyKey: 'invoice-7',
      currency: 'KES',
      destinations: [{ type: 'till', tillNumber: '000124', amount: '10', description: 'Flour' }],
    });
    expect((await host.dashboard.get('/payments')).text).toContain('No payments');
    for (const words of [id, 'invoice-7']) {
      const { location } = await host.dashboard.post('/find', { words });
      expect(location).toBe(`${host.dashboard.url}/payouts/${id}`);
    }
    expect((await host.dashboard.get(`/payments/${id}`)).status).toBe(404);
  });

  it('says that it found nothing, without repeating a phone number', async () => {
    const none = await host.dashboard.post('/find', { words: 'tel:+254700000009' });
    expect(none.status).toBe(404);
    expect(none.text).toContain('Nothing found');
    expect(none.text).not.toContain('700000009');
    expect((await host.dashboard.post('/find')).location).toBe(`${host.dashboard.url}/payments`);
    expect((await host.dashboard.post('/find', { words: 'x\u0000y' })).status).toBe(404);
  });

  it('finds payments by state, order number, reference and time, at an address that can be shared', async () => {
    const id = await host.paid({ idempotencyKey: 'a' });
    const waiting = await host.merchant.payments.request(
      aRequestFrom(PERSON, { idempotencyKey: 'b' }),
    );
    const { transaction } = (await host.merchant.payments.find(id))!;
    const [past, future] = ['2020-01-01', '2120-01-01T12:30'];
    const ids = async (fields: [string, string][]): Promise<string[]> => {
      const { status, location } = await host.dashboard.post('/payments/search', fields);
      expect(status).toBe(303);
      return listedIds(await host.dashboard.get(location!.slice(host.dashboard.url.length)));
    };
    expect(await ids([['state', 'succeeded']])).toEqual([id]);
    expect(await ids([['state', 'pending']])).toEqual([waiting.id]);
    expect(
      await ids([
        ['state', 'succeeded'],
        ['state', 'pending'],
      ]),
    ).toEqual([waiting.id, id]);
    expect(await ids([['key', 'b']])).toEqual([waiting.id]);
    expect(await ids([['reference', transaction!.reference!]])).toEqual([id]);
    expect(await ids([['from', future]])).toEqual([]);
    expect(
      await ids([
        ['from', past],
        ['to', future],
      ]),
    ).toHaveLength(2);
    expect(await ids([['to', past]])).toEqual([]);
  });

  it('finds payments by phone number and state together, without a redirect', async () => {
    const id = await host.paid();
    const found = await host.dashboard.post('/payments/search', {
      phone: '0700000001',
      state: 'succeeded',
    });
    expect(listedIds(found)).toEqual([id]);
    const none = await host.dashboard.post('/payments/search', {
      phone: '0700000001',
      state: 'failed',
    });
    expect(listedIds(none)).toEqual([]);
    expect(none.text).toContain('No payments match.');
  });

  it('ignores a phone number in an address', async () => {
    await host.paid();
    const { text } = await host.dashboard.get('/payments?phone=%2B254700000009');
    expect(text).toContain('Jane Doe');
    expect(text).not.toContain('700000009');
  });

  it('shows results page by page, also for one phone number', async () => {
    for (let n = 0; n < 52; n += 1) {
      await host.merchant.payments.request(
        aRequestFrom(PERSON, { amount: { currency: 'KES', value: `${n + 1}` } }),
      );
    }
    const first = await host.dashboard.get('/payments');
    expect(listedIds(first)).toHaveLength(50);
    const next = linksOf(first.text).find((link) => link.includes('after='));
    const second = await host.dashboard.get(`/${next!.slice(2)}`);
    expect(listedIds(second)).toHaveLength(2);
    expect(second.text).toContain('First page');
    expect(new Set([...listedIds(first), ...listedIds(second)]).size).toBe(52);

    const byPhone = await host.dashboard.post('/payments/search', { phone: PERSON });
    expect(listedIds(byPhone)).toHaveLength(50);
    const [, after] = /name="after" value="([^"]+)"/.exec(byPhone.text)!;
    const rest = await host.dashboard.post('/payments/search', { phone: PERSON, after: after! });
    expect(listedIds(rest)).toEqual(listedIds(second));
  });

  it.each([
    ['phone number', 'phone', '12', 'This is not a phone number'],
    ['phone number of 5,000 characters', 'phone', 'x'.repeat(5_000), 'This is not a phone number'],
    ['beginning', 'from', 'yesterday', 'This is not a date'],
    ['end', 'to', '2026-02-31', 'This is not a date'],
    ['state', 'state', 'rich', 'There is no such state'],
    ['order number', 'key', '\u0000', 'too long or contains control characters'],
    ['reference', 'reference', 'x'.repeat(600), 'too long or contains control characters'],
  ])('marks an invalid %s and keeps the other fields', async (_, field, value, words) => {
    await host.paid();
    const { status, text } = await host.dashboard.post('/payments/search', [
      [field, value],
      ['platformId', 'kept "as it was"'],
    ]);
    expect(status).toBe(400);
    expect(text).toContain(words);
    expect(text).toContain('value="kept &quot;as it was&quot;"');
    expect(text).toContain('The search did not run');
    expect(text).not.toContain('Jane Doe');
  });
});
