import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ReviewCause } from '@tillkit/payments/types';
import { aPayment, changed, recorded } from '../../contracts/store-under-test.js';
import { DashboardHost } from './dashboard.fixture.js';

describe('The page of reviews', () => {
  const host = new DashboardHost();

  beforeEach(() => host.open());

  const inReview = async (cause: ReviewCause, changes = {}): Promise<string> => {
    const { store } = host.merchant;
    const payment = await recorded(store, { ...aPayment('default'), ...changes });
    await changed(store, payment, { state: 'needs_review', cause });
    return payment.id;
  };

  const wordsOf = (text: string): string => text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

  const decide = (fields: Record<string, string>) => {
    const before = new Date(Date.now() + 120_000).toISOString().slice(0, 16);
    const group = { kind: 'payment', cause: 'no_evidence', before };
    return host.dashboard.post('/reviews/decide', { ...group, note: 'not there', ...fields });
  };

  const stateOf = async (id: string) => (await host.merchant.payments.find(id))?.state;

  it('counts them by cause with their sums, and decides all of one cause after that was shown', async () => {
    const ids = [await inReview('no_evidence'), await inReview('no_evidence')];
    const other = await inReview('ambiguous');
    const { text } = await host.dashboard.get('/reviews');
    expect(wordsOf(text)).toMatch(/ payments [^2]* 2 KES 200\.00 /);
    expect(text).toContain('payments?state=needs_review&amp;cause=no_evidence');
    const listed = await host.dashboard.get('/payments?state=needs_review&cause=no_evidence');
    expect(listed.text).toContain(ids[0]);
    expect(listed.text).not.toContain(other);
    const form = await host.dashboard.get('/reviews/decide?kind=payment&cause=no_evidence');
    expect(wordsOf(form.text)).toContain('How many 2 Sum KES 200.00');
    const { status, location } = await decide({ state: 'failed', count: '2' });
    expect({ status, location }).toEqual({
      status: 303,
      location: `${host.dashboard.url}/reviews?notice=reviews-resolved`,
    });
    expect(await Promise.all(ids.map(stateOf))).toEqual(['failed', 'failed']);
    expect(await stateOf(other)).toBe('needs_review');
  });

  it('decides nothing when more wait than the form showed, or without an outcome and a reason', async () => {
    const id = await inReview('no_evidence');
    await inReview('no_evidence');
    const stale = await decide({ state: 'failed', count: '1' });
    expect(stale.status).toBe(409);
    expect(stale.text).toContain('2 do now');
    expect((await decide({ state: '', count: '2' })).status).toBe(409);
    expect((await decide({ state: 'failed', note: ' ', count: '2' })).status).toBe(409);
    expect((await decide({ kind: 'gift', state: 'failed', count: '2' })).status).toBe(400);
    expect(await stateOf(id)).toBe('needs_review');
  });

  it('names those that cannot be decided so', async () => {
    const id = await inReview('no_evidence');
    const { status, text } = await decide({ state: 'succeeded', count: '1' });
    expect(status).toBe(200);
    expect(wordsOf(text)).toContain('They are as they were');
    expect(text).toContain(`payments/${id}`);
    expect(text).toContain('give the reference');
  });

  it('shows what a payment passed, and which order it pays', async () => {
    const first = await inReview('no_evidence', { order: 'order 1042' });
    const second = await recorded(host.merchant.store, {
      ...aPayment('default'),
      besides: [first],
    });
    const page = await host.dashboard.get(`/payments/${second.id}`);
    expect(wordsOf(page.text)).toContain(`Sent although these were open ${first}`);
    expect(page.text).toContain(`payments/${first}`);
    expect(wordsOf((await host.dashboard.get(`/payments/${first}`)).text)).toContain(
      'Order that it pays order 1042',
    );
    const list = await host.dashboard.get('/payments?passed=yes');
    expect(list.text).toContain(second.id);
    expect(list.text).not.toContain(`payments/${first}"`);
  });

  it('offers to close the review of a payment that was paid, and to decide one without an outcome after 15 minutes', async () => {
    const { store } = host.merchant;
    const payment = await recorded(store, aPayment('default'));
    const old = new Date(Date.now() - 14 * 60_000);
    const sent = await changed(store, payment, { state: 'unknown', sentAt: old });
    expect((await host.dashboard.get(`/payments/${payment.id}`)).text).not.toContain(
      'Save the decision',
    );
    const late = new Date(Date.now() - 16 * 60_000);
    const unknown = await changed(store, sent, { sentAt: late });
    const page = await host.dashboard.get(`/payments/${payment.id}`);
    expect(page.text).toContain('Save the decision');
    expect(page.text).not.toContain('the money went back');
    await changed(store, unknown, { state: 'succeeded', cause: 'second_transaction' });
    const paid = await host.dashboard.get(`/payments/${payment.id}`);
    expect(paid.text).toContain('It was paid, as it is: nothing changes');
    expect(paid.text).toContain('Paid, and the money went back');
    expect(paid.text).not.toContain('>Not paid<');
  });
});
