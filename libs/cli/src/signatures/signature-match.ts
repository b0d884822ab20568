import { explainMismatch, verifySignature } from '@tillkit/payments/internal/tools';
import type { ApiKey } from './api-keys.js';

export interface SignatureMatch {
  /** Name of the key; null when none matches. */
  key: string | null;
  /** Says why no key matches, and what to do; null when one matches. */
  why: string | null;
  /** Name of the key that matches the body without the line break at its end. */
  exceptBreak: string | null;
}

/** Compares a signature with each key, and with the values that people confuse keys with. */
export function matchSignature(
  body: Buffer,
  signature: string | undefined,
  keys: readonly ApiKey[],
  environment: NodeJS.ProcessEnv,
): SignatureMatch {
  const found = keys.find(({ key }) => verifySignature(body, signature, [key]));
  if (found) return { key: found.name, why: null, exceptBreak: null };
  const shorter = withoutLastBreak(body);
  const saved = keys.find(({ key }) => shorter && verifySignature(shorter, signature, [key]));
  if (saved) {
    const why =
      `it matches ${saved.name} without the line break at the end: an editor or echo has added that to the file. ` +
      'Save the body as it was sent';
    return { key: null, why, exceptBreak: saved.name };
  }
  const secrets = {
    apiKeys: keys.map(({ key }) => key),
    clientId: environment['PAYMENTS_CLIENT_ID'] ?? '',
    clientSecret: environment['PAYMENTS_CLIENT_SECRET'] ?? '',
  };
  const why = explainMismatch(secrets, { bytes: body }, signature);
  return { key: null, why, exceptBreak: null };
}

function withoutLastBreak(body: Buffer): Buffer | null {
  if (body.at(-1) !== 0x0a) return null;
  return body.subarray(0, body.at(-2) === 0x0d ? -2 : -1);
}
