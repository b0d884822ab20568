import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';

/** Header with the platform's signature of a delivery. */
export const SIGNATURE_HEADER = 'x-kopokopo-signature';

/**
 * Signs a delivery, for tests of a host: HMAC-SHA256 of the raw bytes with the API key, in lower-case hex. The platform sends it in
 * the header `X-KopoKopo-Signature`.
 * @param body the raw body, exactly as it is sent
 * @example
 * const body = JSON.stringify(webhook);
 * await request(server).post('/payments/webhooks').set('X-KopoKopo-Signature', signDelivery(body, apiKey)).send(body);
 * @publicApi
 */
export function signDelivery(body: Buffer | string, apiKey: string): string {
  return createHmac('sha256', apiKey).update(body).digest('hex');
}

const SIGNATURE = /^[0-9a-f]{64}$/i;

/** Checks the form of a header only, not whether the signature is right. */
export function isSignature(header: unknown): header is string {
  return typeof header === 'string' && SIGNATURE.test(header);
}

/** True when one of the keys made the signature. It compares in constant time. A signature of another length is wrong. */
export function verifySignature(
  body: Buffer,
  signature: unknown,
  apiKeys: readonly string[],
): boolean {
  if (!isSignature(signature)) return false;
  const given = Buffer.from(signature, 'hex');
  let valid = false;
  for (const key of apiKeys) {
    const expected = createHmac('sha256', prepared(key)).update(body).digest();
    valid = timingSafeEqual(expected, given) || valid;
  }
  return valid;
}

/** The cache has a limit, because keys are replaced, and merchants come and go. */
const MOST_KEYS = 10_000;

const KEYS = new Map<string, KeyObject>();

/** Caches the prepared key: preparing it for each delivery is slow, and there are few keys. */
function prepared(apiKey: string): KeyObject {
  const existing = KEYS.get(apiKey);
  if (existing) return existing;
  const key = createSecretKey(Buffer.from(apiKey));
  if (KEYS.size >= MOST_KEYS) KEYS.clear();
  KEYS.set(apiKey, key);
  return key;
}
