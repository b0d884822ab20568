import { randomUUID } from 'node:crypto';

/**
 * A UUID of version 7. It begins with the time, so that new rows are written to one end of a database index, which stays
 * fast with many rows. 74 random bits make it unguessable.
 */
export function timeOrderedId(now: number): string {
  const time = now.toString(16).padStart(12, '0');
  // Node caches random bits for `randomUUID`. The 74 bits after its version digit are random.
  const random = randomUUID().slice(15);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random}`;
}
