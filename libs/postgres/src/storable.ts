import { createHash } from 'node:crypto';

/**
 * What PostgreSQL cannot keep in text: U+0000, and halves of surrogate pairs. Whoever sends them must not stop a change or
 * a delivery, so they are shown instead: `␀`, and U+FFFD. The bytes as they came are in the delivery's body.
 */
const HALF_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The same in JSON text, where they are written as escapes. May match an escaped backslash before `u0000` too. */
const MAYBE_UNSTORABLE = /\\u(?:0000|d[89a-f])/;

export function storableText(text: string): string {
  return text.replaceAll('\0', '␀').replace(HALF_PAIR, '\ufffd');
}

/** JSON text that a `jsonb` takes. Always text: the driver would write an array as PostgreSQL's own kind of array. */
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

/** Times that PostgreSQL writes without an era; the platform's word for one beyond them is no time at all. */
const EARLIEST = Date.UTC(1, 0, 1);
const LATEST = Date.UTC(9999, 11, 31);

/** Epoch milliseconds, or null for what is no time that can be kept. */
export function storableTime(date: Date | null): number | null {
  const at = date?.getTime() ?? Number.NaN;
  return at >= EARLIEST && at <= LATEST ? at : null;
}

/** A hash of several texts, hex. The lengths are hashed too: `a, bc` is not `ab, c`. */
export function hashOf(...texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${Buffer.byteLength(text)}:`).update(text);
  return hash.digest('hex');
}

/** A hash of 32 bytes as it is; of what is none, one that no other is equal to: hashes are compared, and never shown. */
export function storableHash(hash: string): string {
  return /^[0-9a-f]{64}$/.test(hash) ? hash : hashOf(hash);
}
