import { createHash } from 'node:crypto';

/** The first characters of a hash, in hex, of values in JSON: equal for equal values, and practically never for others. */
export function digest(characters: number, ...values: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, characters);
}
