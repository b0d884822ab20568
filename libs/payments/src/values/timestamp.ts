const ISO_WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;
const DARAJA = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/;

/** Reads an ISO 8601 timestamp with a UTC offset (`Z` or `+03:00`). Null for a text without an offset: it names no instant. */
export function readTimestamp(wire: unknown): Date | null {
  if (typeof wire !== 'string' || !ISO_WITH_OFFSET.test(wire.trim())) return null;
  const date = new Date(wire.trim());
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Reads the `YYYYMMDDHHMMSS` of Daraja payloads: Nairobi time, +03:00 all year. */
export function readDarajaTimestamp(wire: unknown): Date | null {
  const parts = DARAJA.exec(String(wire));
  if (!parts) return null;
  const [, year, month, day, hour, minute, second] = parts;
  return readTimestamp(`${year}-${month}-${day}T${hour}:${minute}:${second}+03:00`);
}
