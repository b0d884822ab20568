import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { getProxyForUrl } from 'proxy-from-env';
import { errorText } from '../runtime/logging.js';
import type { HttpSettings, TlsOptions } from './payments.settings.js';

const TLS_OPTIONS: readonly string[] = [
  'ca',
  'cert',
  'key',
  'passphrase',
] satisfies (keyof TlsOptions)[];
const ADDRESS =
  'the address of a proxy such as http://user:password@proxy.example:3128, with %25 for % in a password';

/**
 * Returns the problems of the connections to the platform, each as an option of `http` and a text that follows it. Without this check, the
 * first payment would show them.
 * @param origins to which requests go
 */
export function httpProblems(
  { maxSockets, proxy, tls }: HttpSettings,
  origins: readonly string[],
): [option: string, problem: string][] {
  const problems: [string, string][] = [];
  if (!(Number.isInteger(maxSockets) && maxSockets >= 1))
    problems.push(['maxSockets', 'must be a whole number of 1 or more']);
  const ofProxy = proxyProblem(proxy, origins);
  if (ofProxy) problems.push(['proxy', ofProxy]);
  return [...problems, ...tlsProblems(tls)];
}

function proxyProblem(proxy: string | undefined, origins: readonly string[]): string | null {
  if (proxy === undefined) return null;
  if (proxy !== 'environment')
    return proxyAddress(proxy) ? null : `must be ${ADDRESS}, or 'environment'`;
  const named = origins.map(proxyOfEnvironment).filter((address) => address !== '');
  return named.every(proxyAddress)
    ? null
    : `is 'environment': then HTTPS_PROXY (or ALL_PROXY) must be ${ADDRESS}`;
}

function tlsProblems(tls: TlsOptions): [option: string, problem: string][] {
  if (typeof tls !== 'object' || tls === null)
    return [['tls', `must be an object with ${TLS_OPTIONS.join(', ')}`]];
  const problems = Object.keys(tls)
    .filter((option) => !TLS_OPTIONS.includes(option))
    .map((option): [string, string] => [`tls.${option}`, 'is no setting: remove it']);
  const { ca, cert, key, passphrase } = tls;
  // Node.js trusts nothing of a text that it cannot read, and does not say so.
  const ofCa = unreadable(() => {
    for (const one of ca === undefined ? [] : [ca].flat())
      for (const each of certificatesIn(one)) new X509Certificate(each);
  });
  if (ofCa) problems.push(['tls.ca', ofCa]);
  if ([cert, key, passphrase].every((each) => each === undefined)) return problems;
  if (cert === undefined || key === undefined)
    return [...problems, ['tls', 'needs both cert and key, or none of them and no passphrase']];
  const own = unreadable(() => createSecureContext({ cert, key, passphrase }));
  if (own) problems.push(['tls.cert and tls.key', own]);
  return problems;
}

/** A text may have several, one after the other. */
function certificatesIn(text: string | Buffer): (string | Buffer)[] {
  const found = String(text).match(/-----BEGIN CERTIFICATE-----[^]*?(?=-----BEGIN|$)/g);
  return found ?? [text];
}

function unreadable(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    return `cannot be read as PEM (${errorText(error)}): give the text of the file, with its BEGIN and END lines`;
  }
}

/** Returns the address of a proxy; null when no connection can be asked for there. */
function proxyAddress(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname + url.search + url.hash !== '/')
    return null;
  try {
    proxyCredentials(url);
    return url;
  } catch {
    return null;
  }
}

/**
 * Returns the credentials as `user:password`.
 * @throws URIError when they are not encoded as in a URL
 */
export function proxyCredentials({ username, password }: URL): string {
  return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
}

/** Returns the proxy that the environment names for an origin; empty: none. */
export function proxyOfEnvironment(origin: string): string {
  const address = getProxyForUrl(origin);
  // `getProxyForUrl` gives an address without a protocol the one of the origin. But a proxy speaks plain HTTP unless somebody says otherwise, as
  // everywhere else.
  const isWhole = Object.values(process.env).includes(address);
  return isWhole ? address : address.replace(/^https:/, 'http:');
}
