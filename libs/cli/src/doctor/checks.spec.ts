import { describe, expect, it } from '@jest/globals';
import { judgeCertificate, type ShownCertificate } from './certificate-check.js';
import { failed, ok, runChecks, warning, type Check } from './check.js';
import { isUnencrypted } from './database-checks.js';
import { judgeClock } from './platform-checks.js';

const DAY = 86_400_000;

const check = (name: string, run: Check['run'], needs?: string[]): Check => ({
  name,
  run,
  ...(needs && { needs }),
});

describe('The checks of tillkit doctor', () => {
  it('are skipped when what they need has failed or was skipped, and run after a warning', async () => {
    const ran: string[] = [];
    const note =
      (name: string, finding = ok('fine')) =>
      () => {
        ran.push(name);
        return Promise.resolve(finding);
      };
    const results = await runChecks(
      [
        check('one', note('one', failed('broken', 'repair it'))),
        check('two', note('two'), ['one']),
        check('three', note('three'), ['two']),
        check('four', note('four', warning('old', 'renew it'))),
        check('five', note('five'), ['four']),
      ],
      60_000,
    );
    expect(results.map(({ check: name, verdict }) => [name, verdict])).toEqual([
      ['one', 'failed'],
      ['two', 'skipped'],
      ['three', 'skipped'],
      ['four', 'warning'],
      ['five', 'ok'],
    ]);
    expect(ran).toEqual(['one', 'four', 'five']);
    expect(results[1]?.found).toBe('it needs "one", which failed');
  });

  it('are given up when they do not end, and fail when they throw', async () => {
    const [hanging, throwing] = await runChecks(
      [
        check('hanging', () => new Promise(() => undefined)),
        check('throwing', () => Promise.reject(new Error('it is broken'))),
      ],
      20,
    );
    expect(hanging).toMatchObject({ verdict: 'failed', found: 'no answer within 0.02 s' });
    expect(throwing).toMatchObject({ verdict: 'failed', found: 'it is broken' });
  });
});

describe('The clock of a machine', () => {
  const at = Date.parse('2026-11-25T12:00:00.500Z');
  const date = 'Wed, 25 Nov 2026 12:00:00 GMT';

  it.each([
    [0, 'ok', /agrees/],
    [4_900, 'ok', /5 s ahead of/],
    [-10_000, 'warning', /10 s behind/],
    [400_000, 'failed', /400 s ahead of/],
  ])('that is %d ms ahead is judged as %s', (aheadMs, verdict, found) => {
    expect(judgeClock(date, at + aheadMs, at + aheadMs)).toMatchObject({
      verdict,
      found: expect.stringMatching(found),
    });
  });

  it.each([[null], ['yesterday']])('cannot be compared with the date %s', (text) => {
    expect(judgeClock(text, at, at)).toMatchObject({ verdict: 'warning' });
  });
});

describe('A certificate', () => {
  const now = new Date('2026-11-25T12:00:00Z');
  const shown = (changes: Partial<ShownCertificate> = {}): ShownCertificate => ({
    problem: null,
    names: 'DNS:shop.example',
    issuer: 'Some Authority',
    validFrom: new Date(now.getTime() - DAY),
    validTo: new Date(now.getTime() + 60 * DAY),
    ...changes,
  });

  it.each<[Partial<ShownCertificate>, string, RegExp, RegExp | null]>([
    [{}, 'ok', /60 more days, until 2027-01-24/, null],
    [{ validTo: new Date(now.getTime() + 5 * DAY) }, 'warning', /5 more days/, /not renewed/],
    [{ validTo: now, problem: 'CERT_HAS_EXPIRED' }, 'failed', /expired on 2026-11-25/, /Renew it/],
    [{ validFrom: new Date(now.getTime() + DAY) }, 'failed', /only from 2026-11-26/, /clock/],
    [
      { problem: 'ERR_TLS_CERT_ALTNAME_INVALID' },
      'failed',
      /is for DNS:shop\.example, and not for/,
      /correct PAYMENTS_PUBLIC_URL/,
    ],
    [
      { problem: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
      'failed',
      /chain .* not complete/,
      /fullchain/,
    ],
    [
      { problem: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
      'failed',
      /not trusted \(DEPTH_ZERO/,
      /public certificate authority/,
    ],
  ])('with %j is judged as %s', (changes, verdict, found, cure) => {
    expect(judgeCertificate('pay.shop.example', shown(changes), now)).toEqual({
      verdict,
      found: expect.stringMatching(found),
      cure: cure && expect.stringMatching(cure),
    });
  });
});

describe('A connection to a database', () => {
  it.each([
    ['postgres://u:p@db.example/shop', true],
    ['postgres://u:p@db.example/shop?sslmode=disable', true],
    ['postgres://u:p@db.example/shop?sslmode=verify-full', false],
    ['postgres://u:p@localhost/shop', false],
    ['postgres://u:p@127.0.0.1:5433/shop', false],
    ['postgres:///shop?host=/var/run/postgresql', false],
    ['no url', false],
  ])('with the URL %s is unencrypted: %s', (url, expected) => {
    expect(isUnencrypted(url)).toBe(expected);
  });
});
