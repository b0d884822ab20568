import { describe, expect, it } from '@jest/globals';
import { CREDENTIALS } from '../../../simulator/src/cli-merchants.js';
import { PaymentsConfigurationError } from '../payments.errors.js';
import type { PaymentsOptions } from '../payments.options.js';
import { resolveAddedSettings, resolveSettings } from './settings.reader.js';
import { memoryRisk, startWarnings } from './start-risks.js';

const REAL: PaymentsOptions = {
  baseUrl: 'https://platform.example',
  clientId: 'id',
  clientSecret: 'a-client-secret',
  publicUrl: 'https://shop.example',
  apiKeys: ['an-api-key-of-the-portal'],
};
const LOCAL = 'http://127.0.0.1:4010';

const reading =
  (variables: Record<string, string>) =>
  (name: string): string | undefined =>
    variables[name];

function problems(
  changes: PaymentsOptions,
  variables: Record<string, string> = {},
): readonly string[] {
  try {
    resolveSettings({ ...REAL, ...changes }, reading(variables));
  } catch (error) {
    if (error instanceof PaymentsConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe('A remote platform is refused', () => {
  it.each<[string, PaymentsOptions, RegExp]>([
    ['the API key', { apiKeys: [CREDENTIALS.apiKey] }, /^apiKeys is published .*: set/],
    [
      'one of several API keys',
      { apiKeys: ['an-api-key-of-the-portal', `${CREDENTIALS.apiKey}-shop`] },
      /^apiKeys is published .*: set the one from the merchant portal/,
    ],
    [
      'the client secret',
      { clientSecret: CREDENTIALS.clientSecret },
      /^clientSecret is published .*: set the one from the merchant portal/,
    ],
  ])('with %s that the simulator publishes', (_, changes, why) => {
    expect(problems(changes)).toEqual([expect.stringMatching(why)]);
    expect(problems({ ...changes, baseUrl: LOCAL })).toEqual([]);
  });

  it.each(['k', 'secret', '0123456789abcde'])('with the API key "%s", which is short', (key) => {
    const [problem, ...others] = problems({ apiKeys: ['an-api-key-of-the-portal', key] });
    expect(problem).toMatch(/^apiKeys has a key of fewer than 16 characters.*: set the/);
    expect(problem).not.toContain(`"${key}"`);
    expect(others).toEqual([]);
    expect(problems({ apiKeys: [key], baseUrl: LOCAL })).toEqual([]);
  });

  it('for an account that is added while the application runs as well', () => {
    expect(() =>
      resolveAddedSettings({ ...REAL, account: 'shop', apiKeys: ['k'] }, reading({}), 'payments'),
    ).toThrow(/apiKeys of account "shop" has a key of fewer than 16 characters/);
  });

  it('in production without a check of its certificate', () => {
    const unchecked = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const production = { ...unchecked, NODE_ENV: 'production' };
    expect(problems({}, production)).toEqual([
      expect.stringMatching(/^NODE_TLS_REJECT_UNAUTHORIZED is 0, .*: remove the variable/),
    ]);
    expect(problems({ baseUrl: LOCAL }, production)).toEqual([]);
    expect(problems({}, unchecked)).toEqual([]);
  });
});

const REMOTE = { baseUrl: 'https://platform.example', publicUrl: 'https://shop.example' };
const PUBLIC_URL_OF_THIS_MACHINE = 'http://localhost:3000';

describe('The start', () => {
  it.each([
    ['warns of nothing when nothing is wrong', REMOTE, {}, []],
    [
      'warns of nothing when the platform is on this machine',
      { baseUrl: LOCAL, publicUrl: PUBLIC_URL_OF_THIS_MACHINE },
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      [],
    ],
    [
      'warns of a public URL of this machine at a remote platform',
      { ...REMOTE, publicUrl: PUBLIC_URL_OF_THIS_MACHINE },
      {},
      [/^PAYMENTS_PUBLIC_URL \(http:\/\/localhost:3000\) is this machine.*no callback/],
    ],
    [
      'warns of certificates that nobody checks',
      REMOTE,
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      [/^NODE_TLS_REJECT_UNAUTHORIZED is 0/],
    ],
    [
      'warns of nothing when certificates are checked as usual',
      REMOTE,
      { NODE_TLS_REJECT_UNAUTHORIZED: '1' },
      [],
    ],
  ])('%s', (_, urls, variables, causes) => {
    const warnings = startWarnings({ ...urls, payouts: {} }, reading(variables));
    expect(warnings).toEqual(
      causes.map((cause) => ({ cause: expect.stringMatching(cause), cure: expect.any(String) })),
    );
  });
});

it('The start warns of bare creates that pass the limits of payouts', () => {
  const limits = { KES: { perDay: '10' } };
  const causes = (payouts: object) =>
    startWarnings({ ...REMOTE, payouts }, reading({})).map(({ cause }) => cause);
  expect(causes({ limits, bareCreates: true })).toEqual([
    expect.stringContaining('pass payouts.limits'),
  ]);
  expect(causes({ limits })).toEqual([]);
  expect(causes({ bareCreates: true })).toEqual([]);
});

describe('Payments in memory', () => {
  it.each([
    ['are no risk without settings', {}, null],
    ['are no risk in tests', { NODE_ENV: 'test', PAYMENTS_DATABASE_URL: '' }, null],
    ['are a risk in production', { NODE_ENV: 'production' }, /^NODE_ENV is production/],
    [
      'are a risk when a database is set',
      { PAYMENTS_DATABASE_URL: 'postgres://x' },
      /^PAYMENTS_DATABASE_URL is set/,
    ],
  ])('%s', (_, variables, cause) => {
    expect(memoryRisk(reading(variables))).toEqual(
      cause && {
        cause: expect.stringMatching(cause),
        cure: expect.stringMatching(/PostgresStoreModule.forRoot\(\).*store: new MemoryStore\(\)/),
      },
    );
  });
});
