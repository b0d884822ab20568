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
    ['agrees with the platform', 'ok', 0, /agrees/],
    ['is 5 s ahead of the platform', 'ok', 4_900, /5 s ahead of/],
    ['is 10 s behind the platform', 'warning', -10_000, /10 s behind/],
    ['is 400 s ahead of the platform', 'failed', 400_000, /400 s ahead of/],
  ])('that %s is judged as %s', (_, verdict, aheadMs, found) => {
    expect(judgeClock(date, at + aheadMs, at + aheadMs)).toMatchObject({
      verdict,
      found: expect.stringMatching(found),
    });
  });

  it.each([
    ['is missing', null],
    ['is no date', 'yesterday'],
  ])('cannot be compared with a Date header that %s', (_, text) => {
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

  it.each<[string, string, Partial<ShownCertificate>, RegExp, RegExp | null]>([
    ['is valid for months', 'ok', {}, /60 more days, until 2027-01-24/, null],
    [
      'ends in five days',
      'warning',
      { validTo: new Date(now.getTime() + 5 * DAY) },
      /5 more days/,
      /not renewed/,
    ],
    [
      'has expired',
      'failed',
      { validTo: now, problem: 'CERT_HAS_EXPIRED' },
      /expired on 2026-11-25/,
      /Renew it/,
    ],
    [
      'is valid only from tomorrow on',
      'failed',
      { validFrom: new Date(now.getTime() + DAY) },
      /only from 2026-11-26/,
      /clock/,
    ],
    [
      'is for another host',
      'failed',
      { problem: 'ERR_TLS_CERT_ALTNAME_INVALID' },
      /is for DNS:shop\.example, and not for/,
      /correct PAYMENTS_PUBLIC_URL/,
    ],
    [
      'comes without its chain',
      'failed',
      { problem: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
      /chain .* not complete/,
      /fullchain/,
    ],
    [
      'has signed itself',
      'failed',
      { problem: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
      /not trusted \(DEPTH_ZERO/,
      /public certificate authority/,
    ],
  ])('that %s is judged as %s', (_, verdict, changes, found, cure) => {
    expect(judgeCertificate('pay.shop.example', shown(changes), now)).toEqual({
      verdict,
      found: expect.stringMatching(found),
      cure: cure && expect.stringMatching(cure),
    });
  });
});

describe('A connection to a database', () => {
  it.each([
    ['across a network is unencrypted without TLS', 'postgres://u:p@db.example/shop', true],
    [
      'across a network is unencrypted when TLS is disabled',
      'postgres://u:p@db.example/shop?sslmode=disable',
      true,
    ],
    [
      'across a network is encrypted with TLS',
      'postgres://u:p@db.example/shop?sslmode=verify-full',
      false,
    ],
    ['to localhost needs no encryption', 'postgres://u:p@localhost/shop', false],
    ['to 127.0.0.1 needs no encryption', 'postgres://u:p@127.0.0.1:5433/shop', false],
    ['by a socket file needs no encryption', 'postgres:///shop?host=/var/run/postgresql', false],
    ['whose URL is none is not called unencrypted', 'no url', false],
  ])('%s', (_, url, expected) => {
    expect(isUnencrypted(url)).toBe(expected);
  });
});
