import { describe, expect, it } from '@jest/globals';
import { WebhookSubscriptionsService } from '@tillkit/payments';
import { aRequestFrom } from '../../support/merchant.js';
import { PLATFORMS } from '../../support/platforms.js';
import { DashboardHost } from './dashboard.fixture.js';

describe.each(PLATFORMS)('The overview on $platform', (platform) => {
  const host = new DashboardHost(platform);

  it('shows charts of the statistics', async () => {
    await host.open();
    await host.paid();
    await host.merchant.payments.request(aRequestFrom('+254700000002'));
    await host.merchant.received.next('payment.failed');
    const { text } = await host.dashboard.get('/statistics.json?window=1h');
    const { figures } = JSON.parse(text) as {
      figures: { name: string; labels: string[]; values: number[] }[];
    };
    const of = (name: string) => figures.find((figure) => figure.name === name)!;
    expect(of('outcome')).toMatchObject({ labels: ['succeeded', 'failed'], values: [1, 1] });
    expect(of('reasons')).toMatchObject({ labels: ['cancelled on the phone'], values: [1] });
    expect(of('time').labels).toHaveLength(3);
    expect(of('sources')).toMatchObject({ labels: ['callback'], values: [2] });
    expect(of('deliveries').values.reduce((sum, value) => sum + value, 0)).toBeGreaterThanOrEqual(
      2,
    );
    expect(of('backlog').labels).toHaveLength(2);
    const page = await host.dashboard.get('/overview?window=1h');
    expect(page.text).toContain('50.0 %');
    expect(page.text).toContain('Most often by callback.');
    expect(page.text).toMatch(
      /<th scope="row">cancelled on the phone<\/th>\s*<td class="number">1<\/td>/,
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
    const { text } = await host.dashboard.get('/overview?window=1h');
    const words = text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
    expect(words).toMatch(
      /0\.0 % of completed payments are paid: 0 paid ?, 0 failed ?, 1 reversed/,
    );
  });

  it.each(['?window=2h', '?from=2026-02-31', '?from=2026-01-02&to=2026-01-01', '?from=2020-01-01'])(
    'refuses the invalid window %s and says why',
    async (query) => {
      await host.open();
      for (const path of ['/overview', '/statistics.json']) {
        const { status, text } = await host.dashboard.get(path + query);
        expect(status).toBe(400);
        expect(text).toContain('The window is not valid');
      }
    },
  );
});
