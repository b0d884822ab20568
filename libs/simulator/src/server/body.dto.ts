/** Describes the problem of a value; null when it is valid. */
export type Validator = (value: unknown) => string | null;

/** The rule of one field of a JSON body: a validator, the schema of a nested object, or that of each item of a list. */
export interface FieldRule {
  readonly required: boolean;
  readonly validate?: Validator;
  readonly fields?: BodySchema;
  /** Returns the schema of an item; the field may be null. */
  readonly items?: (item: Readonly<Record<string, unknown>>) => BodySchema;
}

/** The rules of all fields that a JSON body may have. */
export type BodySchema = Readonly<Record<string, FieldRule>>;

export const text: Validator = (value) =>
  typeof value === 'string' && value.trim() !== '' ? null : 'must be a non-empty string';

export const anyText: Validator = (value) =>
  typeof value === 'string' ? null : 'must be a string';

export function required(validate: Validator): FieldRule {
  return { required: true, validate };
}

export function optional(validate: Validator): FieldRule {
  return { required: false, validate };
}

export function object(fields: BodySchema): FieldRule {
  return { required: true, fields };
}

export function list(items: NonNullable<FieldRule['items']>): FieldRule {
  return { required: false, items };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns one sentence for each mistake in a body; empty when it is valid.
 * @param isLenient allows unknown fields, and null or an object of nulls for a field that is not required
 */
export function validationErrors(
  body: unknown,
  schema: BodySchema,
  isLenient = false,
  path = '',
): string[] {
  if (!isObject(body)) return [`${path === '' ? 'The body' : path.slice(0, -1)} must be an object`];
  const errors: string[] = [];
  for (const [name, rule] of Object.entries(schema)) {
    const value = body[name];
    if (value === undefined) {
      if (rule.required) errors.push(`${path}${name} is missing`);
    } else if (rule.items) {
      errors.push(...itemErrors(value, rule.items, isLenient, path + name));
    } else if (isLenient && isNothing(value, rule)) {
      continue;
    } else if (rule.fields) {
      errors.push(...validationErrors(value, rule.fields, isLenient, `${path}${name}.`));
    } else {
      const error = rule.validate?.(value);
      if (error) errors.push(`${path}${name} ${error}`);
    }
  }
  if (isLenient) return errors;
  for (const name of Object.keys(body)) {
    if (!Object.hasOwn(schema, name)) errors.push(`${path}${name} is not a known field`);
  }
  return errors;
}

/**
 * Returns a valid body without its unknown fields, and without optional objects in which everything is null. We keep nothing else of a body, because
 * a later read repeats what we keep.
 */
export function knownFields(body: Record<string, unknown>, schema: BodySchema): object {
  const known: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries(schema)) {
    const value = body[name];
    const { fields, items } = rule;
    if (value === undefined || (fields && isNothing(value, rule))) continue;
    if (fields && isObject(value)) known[name] = knownFields(value, fields);
    else if (items && Array.isArray(value))
      known[name] = value.map((item: Record<string, unknown>) => knownFields(item, items(item)));
    else known[name] = value;
  }
  return known;
}

/** True when a client has left out an optional field by sending null, or an object of nulls: `{}`, `{ currency: null, value: null }`. */
function isNothing(value: unknown, { required, fields }: FieldRule): boolean {
  if (required) return false;
  if (value === null) return true;
  return fields !== undefined && isObject(value) && Object.values(value).every((v) => v === null);
}

function itemErrors(
  value: unknown,
  schemaOf: NonNullable<FieldRule['items']>,
  isLenient: boolean,
  path: string,
): string[] {
  if (value === null) return [];
  if (!Array.isArray(value)) return [`${path} must be a list`];
  return value.flatMap((item: unknown, index) =>
    validationErrors(item, isObject(item) ? schemaOf(item) : {}, isLenient, `${path}[${index}].`),
  );
}
