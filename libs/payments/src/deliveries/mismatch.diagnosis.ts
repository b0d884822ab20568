import { Injectable, Logger } from '@nestjs/common';
import type { PaymentsSettings } from '../payments.settings.js';
import { EXPLAIN_EVERY_MS } from '../runtime/backoff.js';
import { Runtime } from '../runtime/runtime.js';
import { verifySignature } from './signature.js';

const LARGEST_BYTES = 64 * 1024;

/**
 * Logs what a refused signature matches, because integrators confuse the keys. It runs after the answer, for at most one delivery
 * of an account in ten seconds, and it discards what it parses.
 */
@Injectable()
export class MismatchDiagnosis {
  private readonly logger = new Logger('Tillkit');
  /** When a delivery of an account was last explained. */
  private readonly lastAt = new Map<string, number>();

  constructor(private readonly runtime: Runtime) {}

  /** Never throws and is not awaited. */
  explain(settings: PaymentsSettings, body: Buffer, signature: unknown): void {
    const now = this.runtime.elapsed();
    const { account } = settings;
    const lastAt = this.lastAt.get(account) ?? Number.NEGATIVE_INFINITY;
    if (now - lastAt < EXPLAIN_EVERY_MS || body.length > LARGEST_BYTES) return;
    this.lastAt.set(account, now);
    setImmediate(() =>
      this.logger.warn(
        `a delivery to account ${account} was refused: ${reasonOf(settings, body, signature)}`,
      ),
    );
  }
}

function reasonOf(
  { clientSecret, clientId, apiKeys }: PaymentsSettings,
  body: Buffer,
  signature: unknown,
): string {
  if (signature === undefined) return 'it carries no signature';
  if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/i.test(signature)) {
    return 'its signature is not the 64 hexadecimal characters of an HMAC-SHA256';
  }
  const matches = (bytes: Buffer, key: string): boolean => verifySignature(bytes, signature, [key]);
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
