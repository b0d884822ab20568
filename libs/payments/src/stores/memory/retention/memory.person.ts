import type { PersonIn } from '../../../retention/retention.store.js';
import { isWithin } from '../memory.page.js';

/** Whether a row of a time mentions a person. */
export function mentions({ digits, hash, from, to }: PersonIn, at: Date, row: unknown): boolean {
  if (!isWithin(at, from, to)) return false;
  const text = JSON.stringify(row);
  return text.includes(digits) || text.toLowerCase().includes(hash);
}
