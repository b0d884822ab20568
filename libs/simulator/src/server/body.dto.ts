/** Says what is wrong with a value; null when it is valid. */
export type Validator = (value: unknown) => string | null;

/** The rule of one field of a JSON body: a validator, or the schema of a nested object. */
export interface FieldRule {
  readonly required: boolean;
  readonly validate?: Validator;
  readonly fields?: BodySchema;
}

/** The rules of all fields that a JSON body may have. */
export type BodySchema = Readonly<Record<string, FieldRule>>;

export const text: Validator = (value) =>
  typeof value === 'string' && value.trim() !== '' ? null : 'must be a non-empty string';

export function required(validate: Validator): FieldRule {
  return { required: true, validate };
}

export function optional(validate: Validator): FieldRule {
  return { required: false, validate };
}

export function object(fields: BodySchema): FieldRule {
  return { required: true, fields };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One sentence for each mistake in a body; empty when it is valid. */
export function validationErrors(
  body: unknown,
  schema: BodySchema,
  allowUnknown = false,
  path = '',
): string[] {
  if (!isObject(body)) return [`${path === '' ? 'The body' : path.slice(0, -1)} must be an object`];
  const errors: string[] = [];
  for (const [name, rule] of Object.entries(schema)) {
    const value = body[name];
    if (value === undefined) {
      if (rule.required) errors.push(`${path}${name} is missing`);
    } else if (rule.fields) {
      errors.push(...validationErrors(value, rule.fields, allowUnknown, `${path}${name}.`));
    } else {
      const error = rule.validate?.(value);
      if (error) errors.push(`${path}${name} ${error}`);
    }
  }
  if (allowUnknown) return errors;
  for (const name of Object.keys(body)) {
    if (!Object.hasOwn(schema, name)) errors.push(`${path}${name} is not a known field`);
  }
  return errors;
}
