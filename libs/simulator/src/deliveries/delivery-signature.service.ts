import { createHmac } from 'node:crypto';

/** The header that carries the signature of a delivery. */
export const SIGNATURE_HEADER = 'X-KopoKopo-Signature';

/** Returns the HMAC-SHA256 over the raw bytes, keyed with the API key, in lower-case hex. */
export function sign(body: Buffer, apiKey: string): string {
  return createHmac('sha256', apiKey).update(body).digest('hex');
}
