import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';

/** Header in which the platform signs a delivery. */
export const SIGNATURE_HEADER = 'x-kopokopo-signature';

/**
 * The signature of a delivery: lowercase hex HMAC-SHA256 of its raw bytes, keyed with the API key. Beside `verify` so
 * that hosts can sign deliveries in their own tests.
 * @publicApi
 */
export function signDelivery(body: Buffer | string, apiKey: string): string {
  return createHmac('sha256', apiKey).update(body).digest('hex');
}

/** Whether any of the keys made the signature. Compares in constant time; a signature of another length is simply wrong. */
export function verifySignature(
  body: Buffer,
  signature: unknown,
  apiKeys: readonly string[],
): boolean {
  if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/i.test(signature)) return false;
  const given = Buffer.from(signature, 'hex');
  let valid = false;
  for (const key of apiKeys) {
    const expected = createHmac('sha256', prepared(key)).update(body).digest();
    valid = timingSafeEqual(expected, given) || valid;
  }
  return valid;
}

const KEYS = new Map<string, KeyObject>();

/** Keys are few and made ready once: that is a part of each delivery's cost that buys nothing. */
function prepared(apiKey: string): KeyObject {
  const known = KEYS.get(apiKey);
  if (known) return known;
  const key = createSecretKey(apiKey, 'utf8');
  KEYS.set(apiKey, key);
  return key;
}
