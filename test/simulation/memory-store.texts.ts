import { PerAccount } from '../../libs/payments/src/runtime/per-account.js';
import type { MemoryStore } from '../../libs/payments/src/memory/memory.store.js';

/** Returns all data that the memory store keeps of an account, as text, by the name of its part. */
export function* textsOf(store: MemoryStore, account: string): Generator<[string, string]> {
  for (const [name, part] of Object.entries(store) as [string, object][]) {
    for (const [field, value] of Object.entries(part) as [string, unknown][])
      yield [`${name}.${field}`, textOf(ofAccount(value, account))];
  }
}

/** Returns the values of an account in a field of a store. */
function ofAccount(value: unknown, account: string): unknown {
  if (value instanceof PerAccount)
    return (value as PerAccount<unknown>).entries().find(([name]) => name === account)?.[1];
  if (value instanceof Map)
    return [...(value as Map<unknown, unknown>)].filter(([key]) => key === account);
  if (Array.isArray(value))
    return value.filter((entry: { account?: unknown } | null) => entry?.account === account);
  return undefined;
}

/** Returns all texts in a value, however deep: strings, keys, and bytes as UTF-8. */
export function textOf(value: unknown): string {
  const texts: string[] = [];
  collect(value, texts, new Set());
  return texts.join('\n');
}

function collect(value: unknown, texts: string[], seen: Set<object>): void {
  if (typeof value === 'string') texts.push(value);
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  if (Buffer.isBuffer(value)) texts.push(value.toString());
  else if (value instanceof Map || value instanceof Set)
    for (const item of value as Iterable<unknown>) collect(item, texts, seen);
  else for (const item of Object.values(value)) collect(item, texts, seen);
}
