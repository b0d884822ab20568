import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { CERTIFICATE } from '../../../simulator/src/testing/certificate.fixture.js';
import type { HttpSettings, TlsOptions } from './payments.settings.js';
import { httpProblems } from './http-settings.js';

const ORIGIN = 'https://platform.example';
const { cert, key } = CERTIFICATE;
const encrypted = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
  cipher: 'aes-256-cbc',
  passphrase: 'a-passphrase',
});

/** Returns the problems of settings that are right but for these. */
const problems = (changes: Partial<HttpSettings>): [string, string][] =>
  httpProblems(
    {
      createTimeoutMs: 1,
      readTimeoutMs: 1,
      maxSockets: 1,
      proxy: undefined,
      tls: {},
      ...changes,
    },
    [ORIGIN],
  );

/** Returns the problems that are found when the environment has these variables, and no other ones of proxies. */
function within(variables: Record<string, string>): [string, string][] {
  for (const name of Object.keys(process.env))
    if (/^(https?|all|no)_proxy$/i.test(name)) delete process.env[name];
  Object.assign(process.env, variables);
  return problems({ proxy: 'environment' });
}

describe('the connections to the platform', () => {
  it.each<[string, Partial<HttpSettings>]>([
    ['nothing is set', {}],
    ['a proxy has user and password', { proxy: 'http://shop:100%25@proxy.example:3128' }],
    ['a proxy is reached by TLS', { proxy: 'https://proxy.example' }],
    ['a proxy is named by its IPv6 address', { proxy: 'http://[::1]:3128/' }],
    ['they trust several authorities', { tls: { ca: [cert, Buffer.from(cert)] } }],
    ['they trust all authorities of one text', { tls: { ca: `${cert}\n${cert}` } }],
    ['they have a certificate of their own', { tls: { cert, key: Buffer.from(key) } }],
  ])('have no problem when %s', (_, changes) => {
    expect(problems(changes)).toEqual([]);
  });

  it.each<[string, string]>([
    ['is empty, as a variable that is not set', ''],
    ['has no protocol', 'proxy.example:3128'],
    ['speaks another protocol', 'socks5://proxy.example:1080'],
    ['has a path', 'http://proxy.example:3128/proxy.pac'],
    ['has a query', 'http://proxy.example:3128?pac'],
    ['has a password with a bare %', 'http://shop:100%@proxy.example:3128'],
    ['is a number', 3128 as never],
  ])('are refused with an example when the proxy %s', (_, proxy) => {
    expect(problems({ proxy })).toEqual([
      [
        'proxy',
        "must be the address of a proxy such as http://user:password@proxy.example:3128, with %25 for % in a password, or 'environment'",
      ],
    ]);
  });

  it.each([
    ['names no proxy', {}],
    ['names a proxy', { HTTPS_PROXY: 'http://proxy.example:3128' }],
    ['names a proxy without its protocol', { https_proxy: 'proxy.example:3128' }],
    ['names a proxy that is not for the platform', { HTTPS_PROXY: 'socks5://one', NO_PROXY: '*' }],
  ])('have no problem when the environment %s', (_, variables) => {
    expect(within(variables as Record<string, string>)).toEqual([]);
  });

  it.each([
    ['HTTPS_PROXY is no address', { HTTPS_PROXY: 'http://' }],
    ['ALL_PROXY speaks another protocol', { ALL_PROXY: 'socks5://proxy.example:1080' }],
  ])('are refused with the name of the variable when %s', (_, variables) => {
    expect(within(variables as Record<string, string>)).toEqual([
      [
        'proxy',
        expect.stringMatching(/^is 'environment': then HTTPS_PROXY \(or ALL_PROXY\) must be /),
      ],
    ]);
  });

  it.each<[string, TlsOptions, string, RegExp]>([
    ['the authority is a path', { ca: '/etc/ssl/ca.pem' }, 'tls.ca', /with its BEGIN and END/],
    ['one of several is empty', { ca: [cert, ''] }, 'tls.ca', /cannot be read as PEM/],
    [
      'the second of one text is broken',
      { ca: `${cert}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n` },
      'tls.ca',
      /cannot be read as PEM/,
    ],
    ['only a passphrase is given', { passphrase: 'a-passphrase' }, 'tls', /no passphrase$/],
    ['the authority is no text', { ca: 7 as never }, 'tls.ca', /cannot be read as PEM/],
    [
      'the key is missing',
      { cert },
      'tls',
      /^needs both cert and key, or none of them and no passphrase$/,
    ],
    [
      'the certificate is missing',
      { key },
      'tls',
      /^needs both cert and key, or none of them and no passphrase$/,
    ],
    ['the key cannot be read', { cert, key: 'a-key' }, 'tls.cert and tls.key', /read as PEM/],
    ['the key is locked', { cert, key: encrypted }, 'tls.cert and tls.key', /read as PEM/],
    [
      'the passphrase is wrong',
      { cert, key: encrypted, passphrase: 'another' },
      'tls.cert and tls.key',
      /read as PEM/,
    ],
    [
      'the key is that of another certificate',
      { cert, key: encrypted, passphrase: 'a-passphrase' },
      'tls.cert and tls.key',
      /mismatch/,
    ],
    ['an option is not known', { xyz: 1 } as object, 'tls.xyz', /^is no setting: remove it$/],
    ['they are a text', cert as never, 'tls', /^must be an object with ca, cert, key, passphrase$/],
  ])('are refused with the cure when, of the certificates, %s', (_, tls, option, problem) => {
    const found = problems({ tls });
    expect(found).toEqual([[option, expect.stringMatching(problem)]]);
    expect(found.join()).not.toContain('a-passphrase');
  });

  it.each([0, 1.5, Number.NaN])('are refused when the setting allows %s of them', (maxSockets) => {
    expect(problems({ maxSockets })).toEqual([
      ['maxSockets', 'must be a whole number of 1 or more'],
    ]);
  });
});
