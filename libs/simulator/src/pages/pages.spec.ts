import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SCENARIOS } from '../scenarios/scenarios.constants.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';
import { ASSETS } from './assets.constants.js';
import { readPhone } from './handsets.page.js';

describe('the pages', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform();
  });

  afterEach(() => platform.stop());

  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(platform.simulator.url + path, { headers });

  const PAGES = ['/', '/handsets', '/handset/+254700000014', '/control'];

  it.each(PAGES)('sends %s with a policy that lets nothing inline run', async (path) => {
    const answer = await get(path);
    const text = await answer.text();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! type="module" src="\/assets\/)/);
  });

  it.each(PAGES)('tells no secret on %s', async (path) => {
    const text = await (await get(path)).text();
    expect(text).not.toContain(platform.simulator.clientSecret);
    expect(text).not.toContain(platform.simulator.apiKey);
  });

  it.each(PAGES)('has every file that %s loads, and that those load', async (path) => {
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

  it('responds 304 to a browser that has the current version of a file', async () => {
    for (const name of ASSETS.names) {
      const etag = String((await get(`/assets/${name}`)).headers.get('etag'));
      expect((await get(`/assets/${name}`, { 'if-none-match': etag })).status).toBe(304);
    }
  });

  it('links every scenario from the start page', async () => {
    const text = await (await get('/')).text();
    for (const { digits } of Object.values(SCENARIOS)) {
      expect(text).toContain(`href="/handset/+2547000000${digits}"`);
    }
  });

  it.each([
    '/handset/%3Cscript%3Ealert(1)%3C%2Fscript%3E',
    '/handsets?phone=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E',
    `/handsets?phone=${'9'.repeat(10_000)}`,
    `/handsets?${Array.from({ length: 7 }, (_, at) => `phone=%2B25470000000${at}`).join('&')}`,
  ])('refuses what is no phone number, and writes it out as text: %s', async (path) => {
    const answer = await get(path);
    const text = await answer.text();
    expect(answer.status).toBe(400);
    expect(text).not.toContain('<script>');
    expect(text).toContain('role="alert"');
  });

  it('keeps the journal, the faults and the handsets out of it', async () => {
    platform.simulator.faults.rate('read-5xx', 1);
    const before = platform.simulator.journal.entries().length;
    for (const path of PAGES) expect((await get(path)).status).toBe(200);
    expect(platform.simulator.journal.entries()).toHaveLength(before);
    expect(platform.simulator.handsets()).toEqual([]);
  });

  it.each([
    ['GET', '/elsewhere'],
    ['POST', '/'],
    ['HEAD', '/'],
    ['GET', '/assets/none.js'],
    ['POST', '/handsets'],
  ])('leaves %s %s to the platform, which knows no such endpoint', async (method, path) => {
    const answer = await fetch(platform.simulator.url + path, { method });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-security-policy')).toBeNull();
  });
});

describe('a phone number as people write it', () => {
  it.each([
    ['+254700000014', '+254700000014'],
    [' 254700000014', '+254700000014'],
    ['254 700 000-014', '+254700000014'],
    ['00254700000014', '+254700000014'],
    ['+ 254 (700) 000014', '+254700000014'],
  ])('reads %j', (written, phone) => {
    expect(readPhone(written)).toBe(phone);
  });
});
