import type { PaymentsSettings } from '../work/payments.settings.js';
import type { RawBody } from './raw-body.js';
import { isSignature, verifySignature } from './signature.js';

const LARGEST_BYTES = 64 * 1024;

/** What a signature is compared with. */
export type SignatureSecrets = Pick<PaymentsSettings, 'clientSecret' | 'clientId' | 'apiKeys'>;

/**
 * Says what a refused signature matches, because integrators confuse the keys. What it parses is thrown away.
 * @param raw the body, if it was read: a delivery without a signature is refused before
 */
export function explainMismatch(
  { clientSecret, clientId, apiKeys }: SignatureSecrets,
  raw: RawBody | undefined,
  signature: unknown,
): string {
  if (signature === undefined) return 'it carries no signature';
  if (!isSignature(signature)) {
    return 'its signature is not the 64 hexadecimal characters of an HMAC-SHA256';
  }
  if (!raw || !('bytes' in raw) || raw.bytes.length > LARGEST_BYTES) {
    return 'its signature matches none of the API keys';
  }
  const body = raw.bytes;
  const matches = (bytes: Buffer, key: string): boolean =>
    key !== '' && verifySignature(bytes, signature, [key]);
  if (matches(body, clientSecret)) {
    return 'its signature matches the client secret, not an API key: put that secret into PAYMENTS_API_KEYS';
  }
  if (matches(body, clientId)) return 'its signature matches the client id, not an API key';
  const respaced = reserialised(body);
  if (respaced && apiKeys.some((key) => matches(respaced, key))) {
    return 'its signature matches the re-serialised body: a proxy between the platform and this application rewrites JSON';
  }
  const trimmed = Buffer.from(body.toString('utf8').trim());
  if (apiKeys.some((key) => matches(trimmed, key))) {
    return 'its signature matches the body without surrounding white space: a proxy adds white space';
  }
  return 'its signature matches none of the API keys; if the key was renewed in the portal, add it to PAYMENTS_API_KEYS';
}

function reserialised(body: Buffer): Buffer | null {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(body.toString('utf8'))));
  } catch {
    return null;
  }
}
