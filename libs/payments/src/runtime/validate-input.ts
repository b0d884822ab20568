import { inspect } from 'node:util';
import { type ClassConstructor, plainToInstance } from 'class-transformer';
import {
  registerDecorator,
  validateSync,
  type ValidationArguments,
  type ValidationError,
} from 'class-validator';
import { isStorable } from '../money/values.js';
import { type FieldProblem, PaymentsValidationError } from '../payments.errors.js';

/**
 * Checks an input against its DTO. Call it before anything is recorded or sent.
 * @throws PaymentsValidationError that names every wrong, missing or unknown field
 */
export function validateInput<T extends object>(dto: ClassConstructor<T>, input: unknown): T {
  const { value, problems } = checkInput(dto, input);
  if (value === null || problems.length > 0) throw new PaymentsValidationError(problems);
  return value;
}

/** The field of a problem of the input as a whole. */
export const WHOLE_INPUT = 'the input';

/** An input as an instance of its DTO, null when it is no object; and each wrong, missing or unknown field. */
export interface CheckedInput<T> {
  value: T | null;
  problems: FieldProblem[];
}

/** Checks an input against its DTO, for callers that have further rules. */
export function checkInput<T extends object>(
  dto: ClassConstructor<T>,
  input: unknown,
): CheckedInput<T> {
  if (!isObject(input)) return noObject();
  const value = toInstance(dto, input);
  if (value === null) return { value, problems: [{ field: WHOLE_INPUT, problem: UNREADABLE }] };
  const problems = ruleProblems(value);
  return { value, problems: problems.length > 0 ? problems : unstorableFields(value) };
}

/** Returns what the rules of its DTO say of an input. Some encode a text as a URL does, which throws at half of a surrogate pair. */
function ruleProblems(value: object): FieldProblem[] {
  const rules = { whitelist: true, forbidNonWhitelisted: true, stopAtFirstError: true };
  try {
    return validateSync(value, rules).flatMap((error) => fieldProblems(error));
  } catch (error) {
    const problems = error instanceof URIError ? unstorableFields(value) : [];
    if (problems.length === 0) throw error;
    return problems;
  }
}

/**
 * Checks an input whose field `type` says which DTO it has.
 * @param dtos the DTO of each type
 */
export function checkVariant<T extends object>(
  dtos: ReadonlyMap<unknown, ClassConstructor<T>>,
  input: unknown,
): CheckedInput<T> {
  if (!isObject(input)) return noObject();
  const dto = dtos.get((input as { type?: unknown }).type);
  if (dto) return checkInput(dto, input);
  const problem = `must be one of ${[...dtos.keys()].join(', ')}`;
  return { value: null, problems: [{ field: 'type', problem }] };
}

function isObject(input: unknown): input is object {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

const noObject = (): CheckedInput<never> => ({
  value: null,
  problems: [{ field: WHOLE_INPUT, problem: 'must be an object' }],
});

const UNREADABLE = 'cannot be read: give it plain values, and no field that is named "constructor"';

/** Returns null for an input at which class-transformer throws. */
function toInstance<T extends object>(dto: ClassConstructor<T>, input: object): T | null {
  try {
    return plainToInstance(dto, input, { exposeUnsetFields: false });
  } catch {
    return null;
  }
}

/**
 * Returns the texts of a valid input that cannot be stored as they are. What was stored would not equal the same input a second time, so the repeat
 * of its idempotency key would be a conflict.
 */
function unstorableFields(value: object, parent = ''): FieldProblem[] {
  return Object.entries(value as Record<string, unknown>).flatMap(([name, item]) => {
    const field = parent + name;
    const isWrong = !isStorable(name) || (typeof item === 'string' && !isStorable(item));
    if (isWrong) return [{ field, problem: UNSTORABLE }];
    return typeof item === 'object' && item !== null ? unstorableFields(item, `${field}.`) : [];
  });
}

const UNSTORABLE = 'has U+0000 or half of a surrogate pair, which no database stores: remove it';

function fieldProblems(error: ValidationError, parent = ''): FieldProblem[] {
  const field = parent + error.property;
  const own = Object.entries(error.constraints ?? {}).map(([rule, message]) => ({
    field,
    problem:
      rule === 'whitelistValidation'
        ? 'is not a field of this request'
        : withoutName(message, error.property),
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => fieldProblems(child, `${field}.`))];
}

function withoutName(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}

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

/**
 * Keeps what an object holds out of logs: `console.log(payments)` shows its class only, and JSON shows nothing. Our services reach the
 * settings, with client secret, API keys and URL secrets, and through Nest the whole application.
 */
export function Concealed(): ClassDecorator {
  return ({ name, prototype }) => {
    Object.defineProperties(prototype, {
      [inspect.custom]: { value: () => `${name} {}` },
      toJSON: { value: () => ({}) },
    });
  };
}
