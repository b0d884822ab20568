import { plainToInstance, type ClassConstructor } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { PaymentsValidationError, type FieldProblem } from '../payments.errors.js';

/**
 * Checks an input against its DTO. Call it before anything is recorded or sent.
 * @throws PaymentsValidationError that names every wrong, missing or unknown field
 */
export function validateInput<T extends object>(dto: ClassConstructor<T>, input: unknown): T {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new PaymentsValidationError([{ field: 'the input', problem: 'must be an object' }]);
  }
  const instance = plainToInstance(dto, input, { exposeUnsetFields: false });
  const errors = validateSync(instance, {
    whitelist: true,
    forbidNonWhitelisted: true,
    stopAtFirstError: true,
  });
  if (errors.length > 0)
    throw new PaymentsValidationError(errors.flatMap((error) => fieldProblems(error)));
  return instance;
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
