import { parseEnv } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SCENARIOS } from '../scenarios/scenarios.constants.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';
import type { SimulatorOptions } from '../simulator.options.js';
import { ASSETS } from './assets.constants.js';
import { environmentOf } from './environment.format.js';
import { readPhone } from './page-query.dto.js';

describe('The pages of the simulator', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform();
  });

  afterEach(() => platform.stop());

  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(platform.simulator.url + path, { headers });

  const PAGES = ['/', '/?phone=+254700000001&phone=+254700000002', '/links/none'];

  it.each(PAGES)(
    'send %s with a content security policy that forbids inline code',
    async (path) => {
      const answer = await get(path);
      const text = await answer.text();
      expect(answer.status).toBe(path === '/links/none' ? 404 : 200);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      const policy = answer.headers.get('content-security-policy');
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(text).not.toMatch(
        /<style|\sstyle=|\son\w+=|<script(?! type="module" src="\/assets\/)/,
      );
    },
  );

  it.each(PAGES)('serve every file that %s loads, and the files that these load', async (path) => {
    const text = await (await get(path)).text();
    const files = new Set(
      [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, at]) => at!),
    );
    for (const file of files) {
      const answer = await get(file);
      const content = await answer.text();
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      for (const [, name] of content.matchAll(/from '\.\/([^']+)'/g)) files.add(`/assets/${name}`);
    }
    expect(files.size).toBeGreaterThan(1);
  });

  it('answer 304 to a browser that has the current version of a file', async () => {
    for (const name of ASSETS.names) {
      const etag = String((await get(`/assets/${name}`)).headers.get('etag'));
      expect((await get(`/assets/${name}`, { 'if-none-match': etag })).status).toBe(304);
    }
  });

  it('offer every scenario with a phone that follows it', async () => {
    const text = await (await get('/')).text();
    for (const [name, { digits, summary }] of Object.entries(SCENARIOS)) {
      expect(text).toContain(`<option value="+2547000000${digits}">${name}: ${summary}</option>`);
    }
  });

  it('show the phones that the URL names, and one that waits for a person without a name', async () => {
    const phonesOf = async (path: string): Promise<string[]> => {
      const text = await (await get(path)).text();
      return [...text.matchAll(/data-handset="([^"]+)"/g)].map(([, phone]) => phone!);
    };
    expect(await phonesOf('/')).toEqual(['+254700000014']);
    expect(await phonesOf('/?phone=254%20700%20000%20001&phone=+254700000002')).toEqual([
      '+254700000001',
      '+254700000002',
    ]);
  });

  it.each([
    ['a script', '/?phone=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E'],
    ['ten thousand digits', `/?phone=${'9'.repeat(10_000)}`],
    [
      'more phones than there may be',
      `/?${Array.from({ length: 7 }, (_, at) => `phone=%2B25470000000${at}`).join('&')}`,
    ],
  ])('refuse %s in the place of a phone number, and show it as text', async (_, path) => {
    const answer = await get(path);
    const text = await answer.text();
    expect(answer.status).toBe(400);
    expect(text).not.toContain('<script>');
    expect(text).toContain('role="alert"');
  });

  it('do not appear in the journal, get no faults and create no handsets', async () => {
    platform.simulator.faults.rate('read-5xx', 1);
    const before = platform.simulator.journal.entries().length;
    for (const path of PAGES) await get(path);
    expect(platform.simulator.journal.entries()).toHaveLength(before);
    expect(platform.simulator.handsets()).toEqual([]);
  });

  it.each([
    ['GET', '/elsewhere'],
    ['POST', '/'],
    ['HEAD', '/'],
    ['GET', '/assets/none.js'],
    ['GET', '/control'],
  ])('leave %s %s to the platform, which answers 404', async (method, path) => {
    const answer = await fetch(platform.simulator.url + path, { method });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-security-policy')).toBeNull();
  });
});

describe('The settings of an application', () => {
  const merchantOf = async (options: SimulatorOptions) => {
    const { simulator, stop } = await startPlatform(options);
    await stop();
    return { simulator, merchant: simulator.merchants.first() };
  };

  it('have everything that an application needs, and both keys during a rotation', async () => {
    const { simulator, merchant } = await merchantOf({
      clientId: 'id',
      clientSecret: 'secret',
      apiKey: 'key',
      tillNumbers: ['514459'],
      tillAliases: { K000123: '514459' },
    });
    const settings = {
      PAYMENTS_BASE_URL: simulator.url,
      PAYMENTS_CLIENT_ID: 'id',
      PAYMENTS_CLIENT_SECRET: 'secret',
      PAYMENTS_API_KEYS: 'key',
      PAYMENTS_TILL_NUMBER: '514459',
      PAYMENTS_TILL_ALIASES: 'K000123=514459',
      PAYMENTS_PUBLIC_URL: 'http://localhost:3000',
      PAYMENTS_DEFAULT_COUNTRY: 'KE',
    };
    expect(parseEnv(environmentOf(simulator, merchant))).toEqual(settings);
    merchant.rotateApiKey({ apiKey: 'next', at: simulator.clock.now() + 60_000 });
    expect(parseEnv(environmentOf(simulator, merchant))).toEqual({
      ...settings,
      PAYMENTS_API_KEYS: 'key,next',
    });
  });

  it.each([`a#b`, ` a `, `it's`, `"a" $b \\n`, `'\``, `\`"`])(
    'hold the secret %s exactly',
    async (clientSecret) => {
      const { simulator, merchant } = await merchantOf({ clientSecret });
      expect(parseEnv(environmentOf(simulator, merchant))['PAYMENTS_CLIENT_SECRET']).toBe(
        clientSecret,
      );
    },
  );
});

describe('A phone number in the URL of the page', () => {
  it.each([
    ['+254700000014', '+254700000014'],
    [' 254700000014', '+254700000014'],
    ['254 700 000-014', '+254700000014'],
    ['00254700000014', '+254700000014'],
    ['+ 254 (700) 000014', '+254700000014'],
  ])('is read from %j', (written, phone) => {
    expect(readPhone(written)).toBe(phone);
  });
});
