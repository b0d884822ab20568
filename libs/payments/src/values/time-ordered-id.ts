import { randomUUID } from 'node:crypto';

/**
 * A UUID of version 7: it begins with the time, so that what is recorded together stands together in an index, however
 * many rows were there before. 74 random bits keep it unguessable.
 */
export function timeOrderedId(now: number): string {
  const time = now.toString(16).padStart(12, '0');
  // Node keeps random bits for many of these at hand; what follows the version is as random here as it is there.
  const random = randomUUID().slice(15);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random}`;
}
