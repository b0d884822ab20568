import { registerDecorator, type ValidationArguments } from 'class-validator';

/** Returns the error text for a wrong value, which follows the field's name; null when the value is valid. */
export type Problem = (value: unknown, object: Record<string, unknown>) => string | null;

/** Makes a class-validator rule from a function, so that DTOs and services refuse the same values with the same text. */
export function Satisfies(problem: Problem): PropertyDecorator {
  const check = (value: unknown, args?: ValidationArguments): string | null =>
    problem(value, (args?.object ?? {}) as Record<string, unknown>);
  return (target, property) =>
    registerDecorator({
      name: 'satisfies',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value, args) => check(value, args) === null,
        defaultMessage: (args) => `$property ${check(args?.value, args) ?? 'is wrong'}`,
      },
    });
}

/** Requires a text that is not empty. */
export const filled: Problem = (value) =>
  typeof value === 'string' && value.trim() !== '' ? null : 'must be a text that is not empty';
