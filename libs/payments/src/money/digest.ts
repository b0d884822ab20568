import { hash } from 'node:crypto';

/** The first characters of a hash, in hex, of values in JSON: equal for equal values, and practically never for others. */
export function digest(characters: number, ...values: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(values)).slice(0, characters);
}
