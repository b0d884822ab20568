import { InvalidInputError } from '../simulator.errors.js';

/** The numbers that a field may have. Both ends are included. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly isWhole?: boolean;
}

/** Reads a number. @throws InvalidInputError that names the field. */
export function requireNumber(field: string, value: unknown, range: NumberRange): number {
  const { min, max, isWhole = false } = range;
  const isInRange = typeof value === 'number' && value >= min && value <= max;
  if (!isInRange || (isWhole && !Number.isInteger(value))) {
    const kind = isWhole ? 'a whole number' : 'a number';
    throw new InvalidInputError(`${field} must be ${kind} from ${min} to ${max}.`);
  }
  return value;
}
