/** What is wrong with a value, or null. */
export type Complaint = (value: unknown) => string | null;

/** A field of a JSON body: either a value with its rule, or an object with fields of its own. */
export interface FieldRule {
  readonly required: boolean;
  readonly complaint?: Complaint;
  readonly fields?: BodySchema;
}

/** Every field that a JSON body may have, by name. */
export type BodySchema = Readonly<Record<string, FieldRule>>;

export const text: Complaint = (value) =>
  typeof value === 'string' && value.trim() !== '' ? null : 'must be a non-empty string';

export function required(complaint: Complaint): FieldRule {
  return { required: true, complaint };
}

export function optional(complaint: Complaint): FieldRule {
  return { required: false, complaint };
}

export function object(fields: BodySchema): FieldRule {
  return { required: true, fields };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** All that is wrong with a body, each as one sentence; empty when it is as it should be. */
export function complaintsAbout(
  body: unknown,
  schema: BodySchema,
  takeUnknown = false,
  path = '',
): string[] {
  if (!isObject(body)) return [`${path === '' ? 'The body' : path.slice(0, -1)} must be an object`];
  const complaints: string[] = [];
  for (const [name, rule] of Object.entries(schema)) {
    const value = body[name];
    if (value === undefined) {
      if (rule.required) complaints.push(`${path}${name} is missing`);
    } else if (rule.fields) {
      complaints.push(...complaintsAbout(value, rule.fields, takeUnknown, `${path}${name}.`));
    } else {
      const complaint = rule.complaint?.(value);
      if (complaint) complaints.push(`${path}${name} ${complaint}`);
    }
  }
  if (takeUnknown) return complaints;
  for (const name of Object.keys(body)) {
    if (!Object.hasOwn(schema, name)) complaints.push(`${path}${name} is not a known field`);
  }
  return complaints;
}
