import { beforeEach, describe, expect, it } from '@jest/globals';
import { ENGLISH } from '@tillkit/dashboard';
import { deliverSigned, webhookBody } from '../../support/deliver.js';
import { aRequestFrom } from '../../support/merchant.js';
import { MARK, MARKED_WORDS } from '../../support/marked.words.js';
import { PLATFORMS } from '../../support/platforms.js';
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
  /\b(order of words|unrecognised tomorrow|tomorrow|metadata-name|metadata-value)\b/g,
  // Events and listeners, and what the library stores in English.
  /\b(payment|till\.transaction|delivery)\.[a-z]+\b/g,
  /\b(RecordedEvents|Unwilling)\.\w+/g,
  /no room for [+\d•\s]+&lt;b&gt;/g,
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

describe.each(PLATFORMS)('A dashboard in another language on $platform', (platform) => {
  const host = new DashboardHost(platform);

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
