/** What one value costs beside its text: a field, an item or an object. */
const OF_EACH = 32;

/** Deeper values are not looked at: no message that is understood has them. */
const MOST_LEVELS = 80;

/**
 * About how many bytes a value takes. It looks at no more than `most` bytes of it, so that it never takes long.
 * @returns more than `most` for a value that takes more, or that is nested deeper than anything that we keep
 */
export function roughBytes(value: unknown, most: number): number {
  return most - left(value, most, MOST_LEVELS);
}

/** What is left of some bytes without a value; negative when that takes more. */
function left(value: unknown, bytes: number, levels: number): number {
  if (typeof value === 'string') return bytes - OF_EACH - value.length;
  if (typeof value !== 'object' || value === null) return bytes - OF_EACH;
  if (levels === 0) return -1;
  let rest = bytes - OF_EACH;
  for (const name in value) {
    if (rest < 0) return rest;
    rest = left((value as Record<string, unknown>)[name], rest - name.length, levels - 1);
  }
  return rest;
}
