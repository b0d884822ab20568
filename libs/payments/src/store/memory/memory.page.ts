import type { Page, PageRequest } from '../page.js';

/** Keyset pagination: newest first unless another order is asked for, by time and then by a unique text. */
export function pageOf<T>(
  found: readonly T[],
  { limit, after }: PageRequest,
  keyOf: (item: T) => [Date, string],
  order: 'newest first' | 'oldest first' = 'newest first',
): Page<T> {
  const isBefore = (a: string, b: string): boolean => (order === 'newest first' ? a > b : a < b);
  const keyed = found
    .map((item) => ({ item, key: keyText(keyOf(item)) }))
    .sort((a, b) => (isBefore(a.key, b.key) ? -1 : 1));
  const rest = after === undefined ? keyed : keyed.filter(({ key }) => isBefore(after, key));
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
