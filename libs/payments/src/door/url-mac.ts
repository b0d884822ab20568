import { createHmac, timingSafeEqual } from 'node:crypto';

/** The data that a MAC covers. Another purpose, account, resource or id has another MAC. */
export interface UrlPurpose {
  purpose: 'webhook' | 'callback';
  account: string;
  resource?: string;
  id?: string;
}

const VERSION = 'v1';

/** Returns the MAC at the end of our URLs: 256 bits in 43 characters, short enough for every router. */
export function urlMac(
  { purpose, account, resource = '', id = '' }: UrlPurpose,
  secret: string,
): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([VERSION, purpose, account, resource, id]))
    .digest('base64url');
}

/** True when one of the secrets made the MAC. Several secrets are valid during a rotation. It compares in constant time. */
export function verifyUrlMac(
  purpose: UrlPurpose,
  mac: unknown,
  secrets: readonly string[],
): boolean {
  if (typeof mac !== 'string') return false;
  const given = Buffer.from(mac);
  let valid = false;
  for (const secret of secrets) {
    const expected = Buffer.from(urlMac(purpose, secret));
    valid = (expected.length === given.length && timingSafeEqual(expected, given)) || valid;
  }
  return valid;
}
