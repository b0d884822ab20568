import type { TestingModule } from '@nestjs/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { captureLog } from '../../support/dashboard.visitor.js';
import type { MerchantOptions } from '../../support/merchant.js';
import { PLATFORMS } from '../../support/platforms.js';
import { DashboardHost, listedIds, PHONE, SECRET_DIGITS, Unwilling } from './dashboard.fixture.js';

describe.each(PLATFORMS)('A form on $platform', (platform) => {
  const host = new DashboardHost(platform);

  it.each<[string, Partial<MerchantOptions>]>([
    ['with the body parsers of Nest', {}],
    [
      'without body parsers',
      { create: (m: TestingModule) => host.platform.create(m, { bodyParser: false }) },
    ],
    [
      'that keeps raw bodies',
      { create: (m: TestingModule) => host.platform.create(m, { rawBody: true }) },
    ],
  ])('is accepted by an application %s', async (_, options) => {
    await host.open({
      ...options,
      providers: [Unwilling],
      payments: { listeners: { retryScheduleMs: [1] } },
    });
    const id = await host.paid();
    expect(listedIds(await host.dashboard.post('/find', { words: PHONE }))).toEqual([id]);
    expect((await host.dashboard.post(`/payments/${id}/phone`)).text).toContain('+254 700 000 001');
    await host.dashboard.pageWith('/dead-letters', 'Unwilling.paid');
    host.merchant.app.get(Unwilling).isWilling = true;
    const { status } = await host.dashboard.post('/dead-letters/replay', { which: 'all' });
    expect(status).toBe(303);
    const bare = await fetch(`${host.dashboard.url}/payments/${id}/phone`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    expect(await bare.text()).toContain('+254 700 000 001');
  });

  it('is refused when it is too large, and ignored when it has another media type', async () => {
    await host.open({ create: (module) => host.platform.create(module, { bodyParser: false }) });
    const large = await host.dashboard.post('/find', { words: 'x'.repeat(20_000) });
    expect(large.status).toBe(413);
    expect(large.text).toContain('The form is too large');
    const json = await host.dashboard.postFrom(
      { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
      '/find',
      { words: PHONE },
    );
    expect(json.location).toBe(`${host.dashboard.url}/payments`);
  });
});

describe.each(PLATFORMS)('A form on $platform', (platform) => {
  const host = new DashboardHost(platform, { isShared: true });
  let id: string;

  beforeAll(async () => {
    await host.open();
    id = await host.paid();
  });

  it.each<[string, string, Record<string, string>, boolean]>([
    ['from its own pages', 'accepted', { 'sec-fetch-site': 'same-origin' }, true],
    ['from another site', 'refused', { 'sec-fetch-site': 'cross-site' }, false],
    ['from another subdomain', 'refused', { 'sec-fetch-site': 'same-site' }, false],
    ['from no site', 'refused', { 'sec-fetch-site': 'none' }, false],
    ['without an origin', 'refused', {}, false],
    ['with another origin', 'refused', { origin: 'https://evil.example' }, false],
    ['with a hidden origin', 'refused', { origin: 'null' }, false],
    [
      'with our origin, from a browser without Sec-Fetch-Site,',
      'accepted',
      { origin: 'SELF' },
      true,
    ],
    [
      'from another site with a forged origin',
      'refused',
      { 'sec-fetch-site': 'cross-site', origin: 'SELF' },
      false,
    ],
  ])('that is sent %s is %s', async (_what, _result, headers, isTaken) => {
    const input = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        value.replace('SELF', host.merchant.url),
      ]),
    );
    const log = captureLog();
    for (const path of [`/payments/${id}/phone`, '/dead-letters/replay', '/sending', '/find']) {
      const { status, text } = await host.dashboard.postFrom(input, path, {
        words: PHONE,
        which: 'all',
        what: 'pause',
        note: 'a reason',
      });
      if (isTaken) expect([200, 303]).toContain(status);
      else {
        expect(status).toBe(403);
        expect(text).toContain('The form was not sent by this dashboard');
        expect(text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
      }
    }
    expect(log.length > 0).toBe(isTaken);
  });
});
