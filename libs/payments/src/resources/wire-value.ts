/** Readers of what the platform sends: a value of another kind than expected is absent, never an exception (P6). */

export type WireObject = Record<string, unknown>;

export function wireObject(value: unknown): WireObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as WireObject)
    : null;
}

/** A text, or a number as its text: ids and tills are seen as both. */
export function wireText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null;
}

/**
 * The texts in a list, a bare text, or nothing: `event.errors` is seen as all three. What holds no text at all (null, an
 * empty list, object or text, also inside each other) is no error; anything else is, whatever its type.
 */
export function wireTexts(value: unknown): string[] {
  if (isEmpty(value)) return [];
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items
    .filter((item) => !isEmpty(item))
    .map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return true;
  if (typeof value === 'string') return value.trim() === '';
  return typeof value === 'object' && Object.values(value).every(isEmpty);
}

/** A point in time in Unix seconds or ISO 8601 text; null when it is neither. */
export function wireTime(value: unknown): Date | null {
  const date =
    typeof value === 'number'
      ? new Date(value * 1000)
      : new Date(typeof value === 'string' ? value : Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date;
}
