import { createHash } from 'node:crypto';
import { storableText } from '@tillkit/payments/internal/store';

export { storableText };

/** Matches, in JSON text, the escapes of characters that `storableText` replaces. It may also match an escaped backslash before `u0000`. */
const MAYBE_UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/** Returns JSON text for a `jsonb` parameter. The value is always text, because the driver would write an array as a PostgreSQL array. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  if (!MAYBE_UNSTORABLE.test(text)) return text;
  return JSON.stringify(JSON.parse(text, storableEntry));
}

function storableEntry(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [storableText(key), entry]),
  );
}

/** PostgreSQL writes times between these two without an era. A time of the platform outside them is stored as null. */
const EARLIEST = Date.UTC(1, 0, 1);
const LATEST = Date.UTC(9999, 11, 31);

/** Returns epoch milliseconds, or null for a time that cannot be stored. */
export function storableTime(date: Date | null): number | null {
  const at = date?.getTime() ?? Number.NaN;
  return at >= EARLIEST && at <= LATEST ? at : null;
}

/** Returns the SHA-256 of several texts, in hex. It includes their lengths, so `a, bc` and `ab, c` have different hashes. */
export function hashOf(...texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${Buffer.byteLength(text)}:`).update(text);
  return hash.digest('hex');
}

/** Returns a hash of 32 bytes as it is, and the hash of any other text. Stored hashes are only compared. */
export function storableHash(hash: string): string {
  return /^[0-9a-f]{64}$/.test(hash) ? hash : hashOf(hash);
}
