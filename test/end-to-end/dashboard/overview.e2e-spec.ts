import { describe, expect, it } from '@jest/globals';
import { WebhookSubscriptionsService } from '@tillkit/payments';
import { deliverSigned, webhookBody } from '../../support/deliver.js';
import { aPayout, aRequestFrom, aWallet } from '../../support/merchant.js';
import { aPayout as aStoredPayout, changed, recorded } from '../../contracts/store-under-test.js';
import { DashboardHost, PHONE } from './dashboard.fixture.js';

describe('The overview', () => {
  const host = new DashboardHost();

  it('shows totals and charts of the period, and compares them with the time before', async () => {
    await host.open();
    await host.paid({ amount: { currency: 'KES', value: '1250' } });
    await host.merchant.payments.request(aRequestFrom('+254700000002'));
    await host.merchant.received.next('payment.failed');
    const { text } = await host.dashboard.get('/statistics.json?period=7d');
    const { figures } = JSON.parse(text) as {
      figures: { name: string; labels: string[]; series: { values: (number | null)[] }[] }[];
    };
    const of = (name: string) => figures.find((figure) => figure.name === name)!;
    const sum = (name: string): number =>
      of(name).series[0]!.values.reduce<number>((all, value) => all + (value ?? 0), 0);
    expect(of('rate').labels).toHaveLength(7);
    expect([sum('volume'), sum('rate')]).toEqual([1250, 50]);
    expect(of('time').series).toHaveLength(3);
    expect(of('reasons').labels).toEqual(['cancelled on the phone']);
    expect([of('sources').labels, sum('sources')]).toEqual([['callback'], 2]);
    expect(sum('deliveries')).toBeGreaterThan(0);
    const page = await host.dashboard.get('/overview?period=7d');
    const words = page.text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
    expect(words).toContain('Volume KES 1,250.00');
    expect(words).toContain('Success rate 50.0 %');
    expect(words).toMatch(/Payments 2 1 paid ?, 1 failed ?, 0 reversed/);
    expect(words).toContain('Most often by callback.');
    expect(page.text).toMatch(
      /<th scope="row">cancelled on the phone<\/th>\s*<td class="number">1<\/td>/,
    );
  });

  it('says that nothing needs attention, or what does: money without a payment, and payments without money at the till', async () => {
    await host.open();
    const quiet = await host.dashboard.get('/overview');
    expect(quiet.text).toContain('Nothing needs attention');
    await host.paid();
    const { webhookUrl, simulator, received } = host.merchant;
    await deliverSigned(webhookUrl, webhookBody({ reference: 'WALKED-IN' }), simulator.apiKey);
    await received.next('till.transaction.received');
    // The payment's own callback has shown its money, and no webhook has. The totals are kept for a second.
    const text = await host.dashboard.pageWith('/overview', 'Needs attention');
    const tiles = text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
    expect(tiles).toContain('1 paid in these days, but not shown at the till');
    expect(text).toMatch(/transactions\?state=unreported&amp;from=[\d-]+&amp;to=[\d-]+/);
    expect(text).toMatch(/payments\?state=succeeded&amp;from=[\d-]+&amp;to=[\d-]+/);
    const list = await host.dashboard.get('/transactions?state=unreported');
    expect(list.text).not.toContain('WALKED-IN');
  });

  it('shows payouts that wait for approval, with a link to them, and only as long as there are any', async () => {
    await host.open({
      payments: { payouts: { limits: { KES: { approveFrom: '500' } } } },
      simulator: { openingBalances: { '514459': 10_000 } },
    });
    const { payouts } = host.merchant;
    await payouts.request(aPayout({ destinations: [aWallet(PHONE, '10')], requestedBy: 'joe' }));
    expect((await host.dashboard.get('/overview')).text).not.toContain('to approve');
    const held = await payouts.request(
      aPayout({ destinations: [aWallet(PHONE, '600')], requestedBy: 'joe' }),
    );
    const { text } = await host.dashboard.get('/overview');
    expect(text).toMatch(
      /href="\.\/payouts\?state=created"\s*><strong>1<\/strong> <span>payout to approve</,
    );
    expect(text).toContain('Needs attention');
    expect((await host.dashboard.get('/payouts?state=created')).text).toContain(held.id);
    await payouts.decline(held.id, { by: 'jane', note: 'not ours' });
    expect((await host.dashboard.get('/overview')).text).not.toContain('to approve');
  });

  it('counts what needs review, of all kinds and since when, and what was sent beside another', async () => {
    await host.open();
    const { store } = host.merchant;
    const payout = await recorded(store, aStoredPayout('default'));
    await changed(store, payout, { state: 'needs_review', cause: 'no_evidence' });
    await recorded(store, { ...aStoredPayout('default'), besides: [payout.id] });
    const { text } = await host.dashboard.get('/overview');
    expect(text).toContain('Needs attention');
    expect(text).toMatch(
      /reviews"\s*><strong>1<\/strong> <span>to review, the oldest of [^<]+ ago</,
    );
    expect(text).toMatch(
      /payments\?passed=yes"\s*><strong>1<\/strong>\s*<span>was sent although another was open/,
    );
  });

  it('does not count a reversed payment as paid', async () => {
    await host.open();
    await host.merchant.app.get(WebhookSubscriptionsService).create({
      eventType: 'buygoods_transaction_reversed',
      scope: 'till',
      scopeReference: '514459',
    });
    const id = await host.paid();
    const payment = await host.merchant.payments.find(id);
    await host.merchant.simulator.reverse(payment!.transaction!.reference!);
    await host.merchant.received.next('payment.reversed');
    const { text } = await host.dashboard.get('/overview?period=7d');
    const words = text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
    expect(words).toMatch(/Success rate 0\.0 %/);
    expect(words).toMatch(/0 paid ?, 0 failed ?, 1 reversed/);
    expect(words).toContain('Net KES 0.00');
  });

  it.each([
    '?period=2h',
    '?from=2026-02-31',
    '?from=2026-01-02&to=2026-01-01',
    '?from=2020-01-01',
    '?from=2026-01-01T10:00',
  ])('refuses the invalid period %s and says why', async (query) => {
    await host.open();
    for (const path of ['/overview', '/statistics.json', '/totals', '/totals.csv']) {
      const { status, text } = await host.dashboard.get(path + query);
      expect({ path, status }).toEqual({ path, status: 400 });
      expect(text).toContain('The period is not valid');
    }
  });
});
