const ISO_WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;
/** A blank instead of the `T`, and before the offset. */
const WITH_BLANKS =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?([Zz]|[+-]\d{2}:?\d{2})$/;
const EPOCH_SECONDS = /^\d{10}$/;
const EPOCH_MILLISECONDS = /^\d{13}$/;
const DARAJA = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/;

/** Whether a text is an ISO 8601 timestamp with a UTC offset (`Z` or `+03:00`). Without an offset it names no instant. */
export function isTimestamp(text: unknown): text is string {
  return typeof text === 'string' && ISO_WITH_OFFSET.test(text) && !Number.isNaN(Date.parse(text));
}

/**
 * A time of the platform as ISO 8601: as it wrote it, or, where it wrote blanks (`2026-01-31 08:00:00 +0300`) or epoch seconds or
 * milliseconds, what that means. Null for what names no single instant, such as a text without an offset.
 */
export function timestampOf(wire: unknown): string | null {
  if (typeof wire !== 'string' && typeof wire !== 'number') return null;
  const text = String(wire).trim();
  if (isTimestamp(text)) return text;
  const [, date, time, offset = ''] = WITH_BLANKS.exec(text) ?? [];
  const iso = `${date}T${time}${offset.toUpperCase()}`;
  if (isTimestamp(iso)) return iso;
  if (EPOCH_SECONDS.test(text)) return new Date(Number(text) * 1_000).toISOString();
  return EPOCH_MILLISECONDS.test(text) ? new Date(Number(text)).toISOString() : null;
}

/** Reads a time of the platform, see `timestampOf`. */
export function readTimestamp(wire: unknown): Date | null {
  const text = timestampOf(wire);
  return text === null ? null : new Date(text);
}

/** Reads the `YYYYMMDDHHMMSS` of Daraja payloads: Nairobi time, +03:00 all year. */
export function readDarajaTimestamp(wire: unknown): Date | null {
  const parts = DARAJA.exec(String(wire));
  if (!parts) return null;
  const [, year, month, day, hour, minute, second] = parts;
  return readTimestamp(`${year}-${month}-${day}T${hour}:${minute}:${second}+03:00`);
}
