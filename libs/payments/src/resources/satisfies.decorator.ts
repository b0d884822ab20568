import { registerDecorator, type ValidationArguments } from 'class-validator';

/** Says what is wrong with a value, in words that follow the field's name; null when nothing is. */
export type Problem = (value: unknown, object: Record<string, unknown>) => string | null;

/** A class-validator rule from a function of ours, so that DTOs and services refuse the same things in the same words. */
export function Satisfies(problem: Problem): PropertyDecorator {
  const judge = (value: unknown, args?: ValidationArguments): string | null =>
    problem(value, (args?.object ?? {}) as Record<string, unknown>);
  return (target, property) =>
    registerDecorator({
      name: 'satisfies',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value, args) => judge(value, args) === null,
        defaultMessage: (args) => `$property ${judge(args?.value, args) ?? 'is wrong'}`,
      },
    });
}

/** A text that is not empty. */
export const filled: Problem = (value) =>
  typeof value === 'string' && value.trim() !== '' ? null : 'must be a text that is not empty';
