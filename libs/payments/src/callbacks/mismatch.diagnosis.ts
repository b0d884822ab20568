import { Inject, Injectable, Logger } from '@nestjs/common';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { verifySignature } from './signature.js';

const AT_MOST_EVERY_MS = 10_000;
const LARGEST_BYTES = 64 * 1024;

/**
 * Says in the log what would have matched a refused signature, since integrators mix the keys up. It runs after the
 * answer, on at most one delivery in ten seconds, and what it parses is thrown away.
 */
@Injectable()
export class MismatchDiagnosis {
  private readonly logger = new Logger('Tillkit');
  private lastAt = Number.NEGATIVE_INFINITY;

  constructor(@Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions) {}

  /** Never throws and is not awaited. */
  explain(body: Buffer, signature: unknown): void {
    if (performance.now() - this.lastAt < AT_MOST_EVERY_MS || body.length > LARGEST_BYTES) return;
    this.lastAt = performance.now();
    setImmediate(() => this.logger.warn(`a delivery was refused: ${this.reason(body, signature)}`));
  }

  private reason(body: Buffer, signature: unknown): string {
    if (signature === undefined) return 'it carries no signature';
    if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/i.test(signature)) {
      return 'its signature is not the 64 hexadecimal characters of an HMAC-SHA256';
    }
    const { clientSecret, clientId, apiKeys } = this.options;
    const matches = (bytes: Buffer, key: string): boolean =>
      verifySignature(bytes, signature, [key]);
    if (matches(body, clientSecret)) {
      return 'its signature matches the client secret, not an API key: put that secret into PAYMENTS_API_KEYS';
    }
    if (matches(body, clientId)) return 'its signature matches the client id, not an API key';
    const respaced = reserialised(body);
    if (respaced && apiKeys.some((key) => matches(respaced, key))) {
      return 'its signature matches the re-serialised body: something between the platform and here rewrites JSON';
    }
    const trimmed = Buffer.from(body.toString('utf8').trim());
    if (apiKeys.some((key) => matches(trimmed, key))) {
      return 'its signature matches the body without surrounding white space: something on the way adds some';
    }
    return 'its signature matches none of the API keys; if the key was renewed in the portal, add it to PAYMENTS_API_KEYS';
  }
}

function reserialised(body: Buffer): Buffer | null {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(body.toString('utf8'))));
  } catch {
    return null;
  }
}
