const NAIROBI_OFFSET_MS = 3 * 3_600_000;

/** Writes a time as ISO 8601 in seconds, with the offset of Nairobi. */
export function timestamp(ms: number): string {
  return `${new Date(ms + NAIROBI_OFFSET_MS).toISOString().slice(0, 19)}+03:00`;
}

/** Writes a time as ISO 8601 in milliseconds, as in `initiation_time`. */
export function timestampWithMilliseconds(ms: number): string {
  return `${new Date(ms + NAIROBI_OFFSET_MS).toISOString().slice(0, 23)}+03:00`;
}

/** Writes a time as `YYYYMMDDHHMMSS` in Nairobi, as in a Daraja payload. */
export function darajaTimestamp(ms: number): string {
  return new Date(ms + NAIROBI_OFFSET_MS).toISOString().slice(0, 19).replace(/[-:T]/g, '');
}

const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Parses ISO 8601 with an offset. @returns milliseconds since 1970; `NaN` for any other text. */
export function parseTimestamp(value: unknown): number {
  if (typeof value !== 'string' || !ISO_8601.test(value)) return Number.NaN;
  // Date.parse reads 30 February as 2 March; the platform refuses it.
  const day = Date.parse(`${value.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== value.slice(0, 10))
    return Number.NaN;
  return Date.parse(value);
}
