import type { Page, PageRequest } from '../../values/page.js';

/** Keyset pagination: newest first, by time and then by a unique text. */
export function pageOf<T>(
  found: readonly T[],
  { limit, after }: PageRequest,
  keyOf: (item: T) => [Date, string],
): Page<T> {
  const keyed = found
    .map((item) => ({ item, key: keyText(keyOf(item)) }))
    .sort((a, b) => (a.key < b.key ? 1 : -1));
  const rest = after === undefined ? keyed : keyed.filter(({ key }) => key < after);
  const items = rest.slice(0, limit);
  return {
    items: items.map(({ item }) => item),
    next: rest.length > limit ? (items.at(-1)?.key ?? null) : null,
  };
}

function keyText([at, id]: [Date, string]): string {
  return `${at.toISOString()} ${id}`;
}

/** Whether a time is at or after `from`, and before `to`. An undefined bound does not limit. */
export function isWithin(at: Date, from: Date | undefined, to: Date | undefined): boolean {
  return (!from || at >= from) && (!to || at < to);
}
