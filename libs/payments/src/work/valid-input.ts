import { plainToInstance, type ClassConstructor } from 'class-transformer';
import {
  getMetadataStorage,
  ValidationTypes,
  type ValidationArguments,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { isStorable } from '../money/storable-text.js';

/** Returns the instance of its DTO for a valid input, null for any input that it cannot vouch for. */
type Reader = (input: object) => object | null;

type ValidationMetadata = ReturnType<
  ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']
>[number];

/** What the decorators of one property say. */
interface Field {
  name: string;
  /** Of `IsOptional` and `ValidateIf`: the rules hold only if each is true. */
  conditions: ((object: object, value: unknown) => boolean)[];
  rules: { validator: ValidatorConstraintInterface; constraints: unknown[] }[];
  /** Reads the object in a property with `ValidateNested`. */
  nested: Reader | null;
}

/** Null for a DTO that no reader can be made for. */
const readers = new WeakMap<ClassConstructor<object>, Reader | null>();

/**
 * Reads an input that is valid and has only plain values: the common case. It runs the rules that the decorators of the DTO registered, but
 * not the general machinery of class-transformer and class-validator, which looks up all metadata again for each input.
 * @returns null for any other input, which class-transformer and class-validator must read: only they say what is wrong
 */
export function readValid<T extends object>(dto: ClassConstructor<T>, input: object): T | null {
  try {
    return (readerOf(dto)?.(input) ?? null) as T | null;
  } catch {
    // A getter of the input threw.
    return null;
  }
}

function readerOf(dto: ClassConstructor<object>): Reader | null {
  const existing = readers.get(dto);
  if (existing !== undefined) return existing;
  // A DTO that contains itself has no reader.
  readers.set(dto, null);
  const reader = makeReader(dto);
  readers.set(dto, reader);
  return reader;
}

function makeReader(dto: ClassConstructor<object>): Reader | null {
  const storage = getMetadataStorage();
  const all = storage.getTargetValidationMetadatas(dto, '', false, false);
  const fields = new Map<string, Field>();
  for (const [name, metadata] of Object.entries(storage.groupByPropertyName(all))) {
    const field = fieldOf(dto, name, metadata);
    if (field === null) return null;
    fields.set(name, field);
  }
  const ordered = [...fields.values()];
  return (input) => {
    const value = copyOf(dto, fields, input);
    return value !== null && ordered.every((field) => isValid(field, value, dto)) ? value : null;
  };
}

function fieldOf(
  dto: ClassConstructor<object>,
  name: string,
  metadata: readonly ValidationMetadata[],
): Field | null {
  const field: Field = { name, conditions: [], rules: [], nested: null };
  for (const { type, each, groups, validateIf, constraints, constraintCls } of metadata) {
    if (each || groups?.length || validateIf || name in dto.prototype) return null;
    if (type === ValidationTypes.CONDITIONAL_VALIDATION) {
      field.conditions.push(constraints[0] as Field['conditions'][number]);
    } else if (type === ValidationTypes.NESTED_VALIDATION) {
      field.nested = nestedReader(dto, name);
      if (field.nested === null) return null;
    } else if (type === ValidationTypes.CUSTOM_VALIDATION || type === ValidationTypes.IS_DEFINED) {
      for (const constraint of getMetadataStorage().getTargetValidatorConstraints(constraintCls)) {
        if (constraint.async) return null;
        field.rules.push({ validator: constraint.instance, constraints });
      }
    } else return null;
  }
  return field;
}

/** The class that `Type` names, found by letting class-transformer make one: the package does not export its metadata. */
function nestedReader(dto: ClassConstructor<object>, name: string): Reader | null {
  const made = plainToInstance(dto, { [name]: {} }) as Record<string, object | undefined>;
  const nested = made[name]?.constructor as ClassConstructor<object> | undefined;
  return nested === undefined || nested === Object ? null : readerOf(nested);
}

/** The instance that class-transformer would make; null for an input with anything but known fields with plain values. */
function copyOf(
  dto: ClassConstructor<object>,
  fields: ReadonlyMap<string, Field>,
  input: object,
): object | null {
  const prototype: unknown = Object.getPrototypeOf(input);
  if (prototype !== Object.prototype && prototype !== dto.prototype) return null;
  const copy = new dto() as Record<string, unknown>;
  for (const name of Object.keys(input)) {
    const value = (input as Record<string, unknown>)[name];
    const field = fields.get(name);
    if (field === undefined) return null;
    if (value === undefined) continue;
    const copied = field.nested ? nestedCopy(field.nested, value) : plainCopy(value);
    if (copied === undefined) return null;
    copy[name] = copied;
  }
  return copy;
}

function nestedCopy(read: Reader, value: unknown): object | undefined {
  return typeof value === 'object' && value !== null ? (read(value) ?? undefined) : undefined;
}

/** A copy of a value that is plain, or an object of plain values; undefined for any other. */
function plainCopy(value: unknown): unknown {
  if (isPlain(value)) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.getPrototypeOf(value) !== Object.prototype) return undefined;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key];
    // class-transformer leaves out `constructor`, `toString` and the like.
    if (key in Object.prototype || !isStorable(key) || !isPlain(item)) return undefined;
    copy[key] = item;
  }
  return copy;
}

function isPlain(value: unknown): boolean {
  return (
    value === null ||
    (typeof value === 'string' && isStorable(value)) ||
    typeof value === 'number' ||
    typeof value === 'boolean'
  );
}

function isValid(
  { name, conditions, rules }: Field,
  object: object,
  dto: ClassConstructor<object>,
): boolean {
  const value = (object as Record<string, unknown>)[name];
  if (!conditions.every((holds) => holds(object, value))) return true;
  return rules.every(({ validator, constraints }) => {
    const args: ValidationArguments = {
      targetName: dto.name,
      property: name,
      object,
      value,
      constraints,
    };
    return validator.validate(value, args) === true;
  });
}
