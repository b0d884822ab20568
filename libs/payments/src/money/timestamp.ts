/** The parts of an ISO 8601 timestamp with an offset. Without one it names no instant. */
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-](\d{2}):?(\d{2}))$/;
/**
 * People and programs also write a blank instead of the `T` or before the offset, short and named offsets, and the name of the zone behind the
 * offset.
 */
const WRITTEN =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)(?:\[[\w/+-]{1,40}\])?$/i;
const EPOCH = /^(\d{10}|\d{13})(?:\.(\d{1,9}))?$/;
const DARAJA = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/;

/** The service is younger than this. An earlier time is a default of some software: 0001-01-01, 1970-01-01. */
const EARLIEST = Date.UTC(2010, 0, 1);

/** No zone of the earth is farther from UTC. PostgreSQL refuses more than 15. */
const LARGEST_OFFSET_H = 14;

/** A time may be so much later than its arrival, by the platform's clock: clocks of one platform differ by less, and time zones by more. */
export const TIME_TOLERANCE_MS = 5 * 60_000;

/** True for an ISO 8601 timestamp with a UTC offset (`Z` or `+03:00`), of a day that exists. A text without an offset names no instant. */
export function isTimestamp(text: unknown): text is string {
  return typeof text === 'string' && exists(text);
}

/**
 * Returns a time of the platform as ISO 8601. A timestamp stays as the platform wrote it. We convert one with blanks, a short or named
 * offset, or the name of a zone behind the offset (`2026-01-31 08:00:00 +03`, `2026-01-31T05:00:00 UTC`,
 * `2026-01-31T08:00:00+03:00[Africa/Nairobi]`), and epoch seconds or milliseconds. Null for what cannot be the time of a payment: a day
 * that does not exist, a time before 2010 or after `latest`, a text without an offset.
 * @param latest epoch milliseconds, see `latestTime` of the clock; unlimited while the platform's clock is not known
 */
export function timestampOf(wire: unknown, latest = Number.POSITIVE_INFINITY): string | null {
  if (typeof wire !== 'string' && typeof wire !== 'number') return null;
  const iso = isoOf(String(wire).trim());
  const at = iso === null ? Number.NaN : Date.parse(iso);
  return at >= EARLIEST && at <= latest ? iso : null;
}

/** Reads a time of the platform, see `timestampOf`. */
export function readTimestamp(wire: unknown, latest?: number): Date | null {
  const text = timestampOf(wire, latest);
  return text === null ? null : new Date(text);
}

/** Reads the `YYYYMMDDHHMMSS` of Daraja payloads: Nairobi time, +03:00 all year. See `timestampOf`. */
export function readDarajaTimestamp(wire: unknown, latest?: number): Date | null {
  const parts = DARAJA.exec(String(wire).trim());
  if (!parts) return null;
  const [, year, month, day, hour, minute, second] = parts;
  return readTimestamp(`${year}-${month}-${day}T${hour}:${minute}:${second}+03:00`, latest);
}

function isoOf(text: string): string | null {
  if (isTimestamp(text)) return text;
  const epoch = EPOCH.exec(text);
  if (epoch) {
    const [, whole, fraction = ''] = epoch as unknown as [string, string, string?];
    const ms = whole.length === 13 ? whole : whole + fraction.slice(0, 3).padEnd(3, '0');
    return new Date(Number(ms)).toISOString();
  }
  const written = WRITTEN.exec(text);
  if (!written) return null;
  const [, date, time, offset] = written as unknown as [string, string, string, string];
  const iso = `${date}T${time}${offsetOf(offset)}`;
  return isTimestamp(iso) ? iso : null;
}

function offsetOf(written: string): string {
  if (/^[+-]\d{2}$/.test(written)) return `${written}:00`;
  return /^[+-]/.test(written) ? written : 'Z';
}

/** True for a text in this form whose day, time of day and offset exist. `Date` alone reads 30 February as 2 March. */
function exists(iso: string): boolean {
  const parts = ISO.exec(iso);
  if (!parts) return false;
  const [, year, month, day, hour, minute, second, offsetHours, offsetMinutes] = parts.map((part) =>
    Number(part ?? 0),
  ) as [number, number, number, number, number, number, number, number, number];
  if (hour > 23 || minute > 59 || second > 59) return false;
  if (offsetMinutes > 59 || offsetHours * 60 + offsetMinutes > LARGEST_OFFSET_H * 60) return false;
  const read = new Date(Date.UTC(year, month - 1, day));
  return month > 0 && read.getUTCMonth() === month - 1 && read.getUTCDate() === day;
}
