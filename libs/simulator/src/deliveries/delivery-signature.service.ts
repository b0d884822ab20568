import { createHmac } from 'node:crypto';

/** The header that carries the signature of a delivery. */
export const SIGNATURE_HEADER = 'X-KopoKopo-Signature';

/** Lower-case hex of HMAC-SHA256 over the raw bytes, keyed with the API key. */
export function sign(body: Buffer, apiKey: string): string {
  return createHmac('sha256', apiKey).update(body).digest('hex');
}
