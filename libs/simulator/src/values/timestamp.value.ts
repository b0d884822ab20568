const NAIROBI_OFFSET_MS = 3 * 3_600_000;

/** ISO 8601 with the offset that the spec shows, to the second. */
export function timestamp(ms: number): string {
  return `${new Date(ms + NAIROBI_OFFSET_MS).toISOString().slice(0, 19)}+03:00`;
}

/** The same with milliseconds, as `initiation_time` has it. */
export function timestampWithMilliseconds(ms: number): string {
  return `${new Date(ms + NAIROBI_OFFSET_MS).toISOString().slice(0, 23)}+03:00`;
}

/** `YYYYMMDDHHMMSS` in Nairobi, as a Daraja payload has it. */
export function darajaTimestamp(ms: number): string {
  return new Date(ms + NAIROBI_OFFSET_MS).toISOString().slice(0, 19).replace(/[-:T]/g, '');
}

const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Milliseconds since 1970 of an ISO 8601 text with an offset, `NaN` for anything else. */
export function parseTimestamp(value: unknown): number {
  if (typeof value !== 'string' || !ISO_8601.test(value)) return Number.NaN;
  // Date.parse makes 2 March of 30 February; a platform that is strict about dates does not.
  const day = Date.parse(`${value.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== value.slice(0, 10))
    return Number.NaN;
  return Date.parse(value);
}
