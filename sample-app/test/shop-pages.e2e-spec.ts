import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OpenShop } from './shop.fixture.js';

describe('The pages of the sample shop', () => {
  let shop: OpenShop;

  beforeAll(async () => {
    shop = await OpenShop.open();
  });

  afterAll(() => shop.close());

  it('start with the goods and link to the till, the suppliers, the dashboard and the simulated platform', async () => {
    const { status, text } = await shop.get('/');
    expect(status).toBe(200);
    expect(text).toContain('<a href="/goods/coffee">Nyeri coffee</a>');
    expect(text).toContain('KES 2,400');
    const { url } = shop.simulator;
    for (const place of ['/till', '/suppliers', '/dashboard', `${url}/`]) {
      expect(text).toContain(`href="${place}"`);
    }
  });

  it('fill in the phone number of a practice phone, and keep the name', async () => {
    const { text } = await shop.get('/goods/coffee?name=Wanjiku&phone=07&practice=0700000002');
    expect(text).toMatch(/name="phone"\s+value="0700000002"/);
    expect(text).toMatch(/name="name"\s+value="Wanjiku"/);
  });

  it.each(['/', '/goods/coffee', '/till', '/suppliers', '/nothing-here'])(
    'have no inline code on %s and a policy that forbids it',
    async (path) => {
      const { headers, text } = await shop.get(path);
      const policy = headers.get('content-security-policy');
      expect(policy).toContain("script-src 'self'; style-src 'self'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc=)/);
    },
  );

  it.each([
    ['/frame.css', 'text/css; charset=utf-8'],
    ['/shop.css', 'text/css; charset=utf-8'],
    ['/shop.js', 'text/javascript; charset=utf-8'],
    ['/pictures/coffee.svg', 'image/svg+xml'],
  ])('load the file %s as %s', async (path, type) => {
    const { status, headers } = await shop.get(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    '/nothing-here',
    '/goods/gold',
    `/orders/${'0'.repeat(32)}`,
    `/orders/${'0'.repeat(32)}/events`,
    '/pictures/gold.svg',
  ])('answer the unknown address %s with an error page', async (path) => {
    const { status, text, headers } = await shop.get(path);
    expect(status).toBe(404);
    expect(text).toContain('There is nothing here');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each<Record<string, string>>([{ goods: 'gold' }, { ticket: 'x' }, { goods: '' }])(
    'answer the invalid form %j with an error page',
    async (fields) => {
      const { status, text } = await shop.checkout(fields);
      expect(status).toBe(400);
      expect(text).toContain('send the form again');
    },
  );

  it('refuse a form without a body', async () => {
    const response = await fetch(`${shop.url}/orders`, { method: 'POST' });
    expect(response.status).toBe(400);
  });

  it.each([
    ['a script', '<script>alert(1)</script>'],
    ['an attribute that runs', `"><img src=x onerror='alert(1)'>`],
    ['a character that turns the direction', '\u202Eevil'],
    ['what is already escaped', '&lt;b&gt;'],
  ])('escape %s in the name of a customer everywhere', async (_, name) => {
    const refused = await shop.checkout({ name, phone: '1' });
    const order = await shop.buy({ name, phone: shop.customer('01').phone });
    const page = await shop.pageWith(order, 'Paid. Asante!');
    const [section] = await shop.sectionsUntil(`${order}/events`, 'Paid');
    const till = await shop.pageWith('/till', 'SMS sent');
    const escaped = name
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;');
    expect(refused.text).toContain(`value="${escaped}"`);
    expect(page).toContain(`<bdi>${escaped}</bdi>`);
    expect(section!.content).toContain(`<bdi>${escaped}</bdi>`);
    expect(till).not.toMatch(/<script>|<img src=x/);
  });

  it('lead to the dashboard, which has its own headers and error pages', async () => {
    const order = await shop.buy({ phone: shop.customer('01').phone });
    await shop.pageWith(order, 'Paid. Asante!');
    const list = await shop.get('/dashboard/payments');
    expect(list.status).toBe(200);
    expect(list.text).toMatch(/<h1>Payments<\/h1>[^]*Jane Doe/);
    expect(list.headers.get('content-security-policy')).toContain("script-src 'self'");
    const lost = await shop.get('/dashboard/payments/no-such-payment');
    expect(lost.status).toBe(404);
    expect(lost.text).toContain('There is no such operation');
    expect(lost.text).not.toContain('To the shop');
  });

  it('refuse a request to the dashboard for another host name', async () => {
    const { port } = new URL(shop.url);
    const headers = { host: 'elsewhere.example' };
    const status = await new Promise((resolve, reject) => {
      get({ port, host: '127.0.0.1', path: '/dashboard/payments', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).on('error', reject);
    });
    expect(status).toBe(403);
  });
});

describe('A sample shop that closes', () => {
  it('ends its event streams, also during a payment', async () => {
    const shop = await OpenShop.open();
    const order = await shop.buy({ phone: shop.customer('14').phone });
    await shop.pageWith(order, 'Check your phone');
    const streams = [shop.sections(`${order}/events`), shop.sections('/till/events')];
    for (const stream of streams) await stream.next();
    const ends = streams.map((stream) => readToEnd(stream));
    await shop.close();
    await Promise.allSettled(ends);
    await expect(shop.get('/')).rejects.toThrow('fetch failed');
  });

  const readToEnd = async (stream: AsyncGenerator): Promise<void> => {
    while (!(await stream.next()).done);
  };
});
