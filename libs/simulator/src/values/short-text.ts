import { InvalidInputError } from '../simulator.errors.js';

/** Longest text of a field, because errors, the journal and the pages repeat it. */
const LONGEST = 500;

/** Reads a text. @throws InvalidInputError that names the field. */
export function requireShortText(field: string, value: unknown): string {
  if (typeof value !== 'string') throw new InvalidInputError(`${field} must be a string.`);
  if (value.length > LONGEST) {
    throw new InvalidInputError(`${field} must have at most ${LONGEST} characters.`);
  }
  return value;
}
