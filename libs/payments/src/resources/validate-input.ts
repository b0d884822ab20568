import { plainToInstance, type ClassConstructor } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { PaymentsValidationError, type FieldProblem } from '../payments.errors.js';

/**
 * Checks an input against its DTO. Call it before anything is recorded or sent.
 * @throws PaymentsValidationError that names every wrong, missing or unknown field
 */
export function validateInput<T extends object>(dto: ClassConstructor<T>, input: unknown): T {
  const { value, problems } = checkInput(dto, input);
  if (value === null || problems.length > 0) throw new PaymentsValidationError(problems);
  return value;
}

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
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return { value: null, problems: [{ field: 'the input', problem: 'must be an object' }] };
  const value = toInstance(dto, input);
  if (value === null) return { value, problems: [{ field: 'the input', problem: UNREADABLE }] };
  const errors = validateSync(value, {
    whitelist: true,
    forbidNonWhitelisted: true,
    stopAtFirstError: true,
  });
  return { value, problems: errors.flatMap((error) => fieldProblems(error)) };
}

const UNREADABLE = 'cannot be read: give it plain values, and no field that is named "constructor"';

/** Null for an input at which class-transformer throws. */
function toInstance<T extends object>(dto: ClassConstructor<T>, input: object): T | null {
  try {
    return plainToInstance(dto, input, { exposeUnsetFields: false });
  } catch {
    return null;
  }
}

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
