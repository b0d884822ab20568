import { beforeAll, describe, expect, it } from '@jest/globals';
import { captureLog, linksOf } from '../../support/dashboard.visitor.js';
import { PLATFORMS } from '../../support/platforms.js';
import { DashboardHost, InterruptibleStore, PHONE } from './dashboard.fixture.js';

describe.each(PLATFORMS)('The dashboard on $platform', (platform) => {
  const host = new DashboardHost(platform, { isShared: true });
  let id: string;

  beforeAll(async () => {
    await host.open();
    id = await host.paid();
  });

  it('has no inline code on any page, and a policy that forbids it', async () => {
    for (const path of [
      '/overview',
      '/payments',
      `/payments/${id}`,
      '/payouts',
      '/payouts/new',
      '/payment-links/new',
      `/refunds/new?payment=${id}`,
      '/deliveries',
      '/reconciliation',
      '/lost',
    ]) {
      const { headers, text } = await host.dashboard.get(path);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc=)/);
      expect(linksOf(text).filter((link) => /^(\w+:)?\/\//.test(link))).toEqual([]);
    }
  });

  it('serves its own assets, with 304 when they have not changed', async () => {
    const types = {
      'dashboard.css': 'text/css; charset=utf-8',
      'chart.js': 'text/javascript; charset=utf-8',
      'idiomorph.js': 'text/javascript; charset=utf-8',
      'charts.js': 'text/javascript; charset=utf-8',
      'favicon.svg': 'image/svg+xml; charset=utf-8',
    };
    for (const [name, type] of Object.entries(types)) {
      const { status, headers, text } = await host.dashboard.get(`/assets/${name}`);
      expect({ name, status, type: headers.get('content-type') }).toEqual({
        name,
        status: 200,
        type,
      });
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(text.length).toBeGreaterThan(100);
      const etag = headers.get('etag')!;
      const again = await host.dashboard.get(`/assets/${name}`, {
        headers: { 'if-none-match': etag },
      });
      expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' });
      expect(
        (await host.dashboard.get(`/assets/${name}`, { headers: { 'if-none-match': '"old"' } }))
          .status,
      ).toBe(200);
    }
    expect((await host.dashboard.get('/assets/chart.js')).text).toContain('Chart.js');
    for (const name of ['package.json', '..%2f..%2findex.js', '__proto__']) {
      expect((await host.dashboard.get(`/assets/${name}`)).status).toBe(404);
    }
  });

  it.each([
    '/payments/none',
    '/payments/..%2f..',
    '/payments/%00',
    '/payments/a%20b',
    '/deliveries/none',
    '/deliveries/%F0%9F%98%80',
    '/nowhere',
    '/payments/a/b/c',
  ])('answers %s with 404', async (path) => {
    const { status, text } = await host.dashboard.get(path);
    expect(status).toBe(404);
    expect(text).toContain('There is no such');
  });

  it.each<[string, number, string?]>([
    ['/payments?state=succeeded&state=failed', 200],
    ['/payments?state=&key=&from=', 200],
    ['/payments?state[]=failed', 200],
    ['/payments?state=none', 400],
    ['/payments?after=garbage', 200],
    ['/payments?after=%00', 400],
    ['/payments?after=x&after=y', 200],
    ['/payments?from=now', 400],
    ['/payments?after= with 600 digits', 400, `/payments?after=${'9'.repeat(600)}`],
    ['/payments?notice=%3Cscript%3E', 200],
    ['/payments?notice=constructor', 200],
    ['/deliveries?state=done&after=garbage', 200],
    ['/deliveries?state=rich', 400],
    ['/deliveries?after=%01', 400],
    ['/transactions?after=%00', 400],
    ['/transactions?reference=%00', 400],
    ['/payments/?state=failed', 200],
  ])('answers %s with status %i and a page', async (name, status, path = name) => {
    const shown = await host.dashboard.get(path);
    // Fastify accepts no slash at the end of a path unless the host enables it.
    if (path.includes('/?') && shown.status === 404) return;
    expect(shown.status).toBe(status);
    expect(shown.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(shown.text).not.toContain('<script>');
  });

  it.each([
    ['/find', '/payments'],
    ['/transaction/phone', '/transactions'],
  ])('redirects a reload of %s to %s', async (path, list) => {
    const { status, location } = await host.dashboard.get(path);
    expect({ status, location }).toEqual({ status: 303, location: host.dashboard.url + list });
  });

  it('answers HEAD like GET without the body', async () => {
    const { status, headers, text } = await host.dashboard.get('/payments', { method: 'HEAD' });
    expect({ status, text }).toEqual({ status: 200, text: '' });
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  });
});

describe.each(PLATFORMS)('A page of the dashboard on $platform', (platform) => {
  const host = new DashboardHost(platform);

  it('says that the store is unavailable, and works again afterwards', async () => {
    const store = new InterruptibleStore();
    await host.open({ payments: { store } });
    const id = await host.paid();
    store.isAway = true;
    for (const path of [
      '/overview',
      '/payments',
      `/payments/${id}`,
      '/statistics.json?period=7d',
    ]) {
      const { status, headers, text } = await host.dashboard.get(path);
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toBe('10');
      expect(text).toContain('The store of payments is unavailable');
      expect(text).not.toContain('10.0.0.7');
    }
    expect((await host.dashboard.post('/find', { words: 'x' })).status).toBe(503);
    store.isAway = false;
    expect((await host.dashboard.get('/overview')).status).toBe(200);
  });

  it('shows an error page without details, and logs the error', async () => {
    const store = new InterruptibleStore();
    store.anomalies.list = () => Promise.reject(new TypeError('a mistake of ours'));
    await host.open({ payments: { store } });
    const log = captureLog();
    const { status, text } = await host.dashboard.get('/anomalies');
    expect(status).toBe(500);
    expect(text).toContain('This page failed');
    expect(text).not.toContain('a mistake');
    expect(log).toEqual([
      {
        level: 'error',
        line: expect.stringMatching(/^a page of the dashboard failed\nTypeError: a mistake/),
      },
    ]);
  });

  it('escapes hostile names, keys and metadata, and shortens long ones', async () => {
    await host.open();
    const script = '<script>alert(1)</script>';
    const id = await host.paid({
      idempotencyKey: `"><img src=x onerror=alert(1)>`,
      subscriber: { firstName: script, lastName: 'abc\u202Egnp.exe', phoneNumber: PHONE },
      metadata: { [script]: script, long: 'x'.repeat(10_000), tag: `'"/><svg onload=alert(1)>` },
    });
    const { transaction } = (await host.merchant.payments.find(id))!;
    const pages = [
      await host.dashboard.get('/payments'),
      await host.dashboard.get(`/payments/${id}`),
      await host.dashboard.get('/transactions'),
      await host.dashboard.get(`/transaction?till=514459&reference=${transaction!.reference}`),
      await host.dashboard.post(`/payments/${id}/phone`),
      await host.dashboard.post('/payments/search', { key: `"><script>`, phone: '<script>' }),
      await host.dashboard.post('/find', { words: script }),
    ];
    for (const { text } of pages) {
      expect(text).not.toMatch(/<script>|<img|onload=alert\(1\)>|\u202E/);
    }
    expect(pages[1]!.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(pages[1]!.text).toContain('abc&lt;U+202E&gt;gnp.exe');
    expect(pages[1]!.text).toContain('x… +8000');
    expect(pages[1]!.text.length).toBeLessThan(30_000);
  });
});
