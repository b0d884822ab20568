import { beforeEach, describe, expect, it } from '@jest/globals';
import { ENGLISH } from '@tillkit/dashboard';
import { deliverSigned, webhookBody } from '../../support/deliver.js';
import { aPayout, aRequestFrom, aWallet } from '../../support/merchant.js';
import { formTo } from '../../support/page.form.js';
import { MARK, MARKED_WORDS } from '../../support/marked.words.js';
import { DashboardHost, PERSON, Unwilling } from './dashboard.fixture.js';

/** What the pages of this test show that no translation replaces: the words of the customer, the platform, the library and the host. */
const DATA = [
  /<time [^>]*>[^<]*<\/time>/g,
  /<pre\b.*?<\/pre>/gs,
  /[\da-f]{8}-[\da-f-]{27}|[\da-f]{32,}/g,
  /<U\+\w+>/g,
  // The customer and the platform, whose references have ten characters.
  /\b[A-Z\d]{10}\b/g,
  /\b(Jane|Doe|KES|Received|Lipa Na M-PESA|Buygoods Transaction|Success|WALKED-IN|UTC|default)\b/g,
  /\b(Safaricom|Wages|https:[^"<\s]*)\b/g,
  /\b(order of words|unrecognised tomorrow|tomorrow|metadata-name|metadata-value)\b/g,
  // Events and listeners, and what the library stores in English.
  /\b(payment|payout|refund|payment-link|till\.transaction|delivery)\.[a-z-]+\b/g,
  /\b(RecordedEvents|Unwilling)\.\w+/g,
  /no room for [+\d•\s]+&lt;b&gt;/g,
  // The idempotency key of a form.
  /dashboard-/g,
  /unknown operator|deleteListener\(\)|Tillkit/g,
  /this version does not know/g,
  /&#?\w+;/g,
];

/** What a person reads on a page, apart from the marked words and the data. */
function unmarked(page: string): string[] {
  const attributes = [
    ...page.matchAll(/\s(?:aria-label|placeholder|title|alt|data-name)="([^"]*)"/g),
  ].map(([, value]) => value as string);
  const read = [page, ...attributes].join('\n').replace(MARK, ' ');
  const text = DATA.reduce((rest, data) => rest.replace(data, ' '), read).replace(
    /<!doctype html>|<svg.*?<\/svg>|<[^>]*>/gs,
    ' ',
  );
  return text.match(/\p{L}+/gu) ?? [];
}

describe('A dashboard in another language', () => {
  const host = new DashboardHost();

  beforeEach(() =>
    host.open(
      { providers: [Unwilling], payments: { listeners: { retryScheduleMs: [1] } } },
      { words: MARKED_WORDS },
    ),
  );

  it('has no English text on its pages', async () => {
    const { dashboard, merchant } = host;
    const id = await host.paid({
      idempotencyKey: 'order of words',
      metadata: { 'metadata-name': 'metadata-value' },
    });
    await merchant.payments.request(aRequestFrom('+254700000002'));
    await merchant.received.next('payment.failed');
    await merchant.payments.request(aRequestFrom(PERSON));
    const { webhookUrl, simulator } = merchant;
    await deliverSigned(webhookUrl, webhookBody({ reference: 'WALKED-IN' }), simulator.apiKey);
    await merchant.received.next('till.transaction.received');
    await deliverSigned(webhookUrl, webhookBody({}, { topic: 'tomorrow' }), simulator.apiKey);
    await merchant.received.next('delivery.unrecognised');
    await dashboard.pageWith(`/payments/${id}`, '⟦timeline.becameDead⟧');

    const deliveries = (await dashboard.get('/deliveries')).text;
    const [, delivery] = /deliveries\/([\w-]{36})"/.exec(deliveries)!;
    await dashboard.post('/sending', { what: 'pause', note: 'tomorrow' });
    for (const path of [
      '/overview',
      '/payments',
      '/payments?state=failed&from=2020-01-01',
      '/payments?state=rich',
      `/payments/${id}`,
      '/transactions',
      '/transactions?reference=tomorrow',
      '/transaction?till=514459&reference=WALKED-IN',
      '/deliveries',
      '/deliveries?state=rich',
      `/deliveries/${delivery}`,
      '/dead-letters?notice=dead-letter-replayed',
      '/anomalies',
      '/reconciliation',
      '/sending',
      '/lost',
    ]) {
      const { text } = await dashboard.get(path);
      expect({ path, unmarked: unmarked(text) }).toEqual({ path, unmarked: [] });
      expect(text).toContain('<html lang="de">');
    }
    const none = await dashboard.post('/find', { words: 'tomorrow' });
    expect(unmarked(none.text)).toEqual([]);
    const minute = (ms: number): string => new Date(Date.now() + ms).toISOString().slice(0, 16);
    const window = { from: minute(-3_600_000), to: minute(120_000) };
    const report = await dashboard.post('/reconciliation', window);
    expect(report.text).toContain('⟦reconciliation.lists.matched.count⟧');
    expect(unmarked(report.text)).toEqual([]);
  });

  it('has no English text on the pages on which operators act', async () => {
    const { merchant } = host;
    await merchant.close();
    await host.open(
      {
        payments: { payouts: { limits: { KES: { approveFrom: '500', perPayout: '900' } } } },
        simulator: { openingBalances: { '514459': 10_000 } },
      },
      { words: MARKED_WORDS, operator: () => 'Jane' },
    );
    const { payouts, links } = host.merchant;
    const id = await host.paid({ idempotencyKey: 'order of words' });
    const open = await payouts.request(
      aPayout({
        destinations: [aWallet('+254700000061', '10')],
        idempotencyKey: 'order of words',
        requestedBy: 'Doe',
      }),
    );
    const held = await payouts.request(
      aPayout({ destinations: [aWallet(PERSON, '600'), aWallet(PERSON, '7')], requestedBy: 'Doe' }),
    );
    const link = await links.request({
      idempotencyKey: 'order of words',
      amount: { currency: 'KES', value: '100.00' },
      paymentReference: 'tomorrow',
    });
    await host.dashboard.post(`/operations/${id}/note`, { note: 'tomorrow' });
    const shown = async (answer: Promise<{ text: string }>, of: string): Promise<string> => {
      const { text } = await answer;
      expect({ of, unmarked: unmarked(text) }).toEqual({ of, unmarked: [] });
      return text;
    };
    const get = (path: string): Promise<string> => shown(host.dashboard.get(path), path);
    const post = (path: string, fields: Record<string, string>): Promise<string> =>
      shown(host.dashboard.post(path, fields), path);
    for (const path of [
      `/payments/${id}`,
      '/payouts?notice=payout-awaits',
      `/payouts/${open.id}`,
      `/payouts/${held.id}`,
      `/payouts/${held.id}/approve`,
      '/refunds',
      '/payment-links?state=failed',
      `/payment-links/${link.id}`,
      `/payment-links/${link.id}/cancel`,
      '/refunds/new?payment=none',
    ])
      await get(path);
    const refund = formTo(await get(`/refunds/new?payment=${id}`), '/refunds/new').fields;
    await post('/refunds/new', { ...refund, why: '' });
    const last = formTo(await post('/refunds/new', { ...refund, why: 'tomorrow' }), '/refunds');
    await post('/refunds', { ...last.fields, amount: '1' });
    const { location } = await host.dashboard.post('/refunds', last.fields);
    await get(location!.slice(host.dashboard.url.length));
    await get(`/refunds/new?payment=${id}`);
    await get('/refunds');

    const payout = formTo(await get('/payouts/new'), '/payouts/new').fields;
    const more = await post('/payouts/new', { ...payout, type: 'paybill', add: '1' });
    const { fields } = formTo(more, '/payouts/new');
    await post('/payouts/new', { ...fields, currency: '' });
    const given = {
      ...payout,
      'd0.phoneNumber': PERSON,
      'd0.network': 'tomorrow',
      'd0.description': 'tomorrow',
    };
    for (const amount of ['5', '600'])
      await post('/payouts/new', { ...given, 'd0.amount': amount });
    const made = formTo(await get('/payment-links/new'), '/payment-links/new').fields;
    await post('/payment-links/new', made);
    await post('/payment-links/new', { ...made, amount: '5', note: 'tomorrow' });
  });

  it('draws its charts with the words of that language', async () => {
    const { text } = await host.dashboard.get('/statistics.json');
    expect(text).toContain('⟦figures.rate.title⟧');
    expect(text).not.toContain(ENGLISH.figures.rate.title);
    expect(text).not.toContain(ENGLISH.figures.noneCompleted);
  });

  it('writes numbers and times as in that language', async () => {
    const id = await host.paid();
    const { text } = await host.dashboard.get(`/payments/${id}`);
    expect(text).toMatch(/<time [^>]*>\d\d\.\d\d\.20\d\d, \d\d:\d\d:\d\d<\/time>/);
    expect((await host.dashboard.get('/overview')).text).toContain('⟦units.percent⟧ 100,0');
  });
});
