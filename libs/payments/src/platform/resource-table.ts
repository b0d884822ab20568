import type { ApiVersions } from '../accounts/payments.settings.js';
import { readAmountValue } from '../money/money.js';
import type { Metadata } from '../money/values.js';
import type { CallbackResource } from './callback-urls.js';
import type { CreatePurpose } from './http/authorized-requests.js';
import {
  type ResourceEnvelope,
  wireFieldOf,
  wireName,
  wireObject,
  type WireObject,
  wireText,
  wireTextOf,
  wireTexts,
} from './wire-value.js';

/** Says how a resource of the platform is created and read. */
export interface ResourceTable {
  /** Errors and logs call it so: `get payment link`. */
  noun: string;
  /** The path at which it is created, and below which it is read by its id. `{version}` stands for the version that the settings name. */
  path: string;
  /** The setting of a resource that the platform has in two versions. */
  version?: keyof ApiVersions;
  /** The platform calls its type by one of these words; by any word when there is none. */
  types: readonly string[];
  /** Says what its creates are for, unless they move money. */
  purpose?: CreatePurpose;
  /** Our callback URLs call a resource so whose result the platform posts. */
  callback?: CallbackResource;
  fields: Fields;
}

/** A resource whose result the platform posts. */
export type ResultTable = ResourceTable & { callback: CallbackResource };

/** The fields of an object of the platform under our names, each with how it is read. The platform writes the same names in snake_case. */
export type Fields = Record<string, Field<unknown>>;

/**
 * Reads a field. It never throws: what is missing or of an unexpected type is read as null, or as an empty list.
 * @param name the field's name on the wire
 * @param latest see `timestampOf`
 */
export type Field<T> = (wire: WireObject, name: string, latest: number | undefined) => T;

/** A field of this reads the field of `T` with the same name. */
export type FieldsOf<T> = { [Name in keyof T]: Field<T[Name]> };

/** A resource as it is read: `interface Reversal extends Shown<typeof REVERSAL> {}`. */
export type Shown<T extends ResourceTable> = ShownFields<T['fields']> &
  (T extends ResultTable ? WithResult : WithoutResult);

/**
 * An object as its fields are read. Each field keeps its documentation, which an editor shows, because they are mapped by their own names.
 */
export type ShownFields<F extends Fields> = { [Name in keyof F]: ReturnType<F[Name]> };

/** Every resource has these fields. */
interface WithoutResult {
  id: string;
  /** The resource as the platform sent it. */
  raw: Record<string, unknown>;
}

/** A resource whose result the platform posts has these fields. */
export interface WithResult {
  id: string;
  /** `callbackUrl` has its MAC replaced by a hash, because the MAC is a secret. */
  links: { callbackUrl: string | null; self: string | null };
  /** The resource as the platform sent it, except for the MAC in its callback URL. */
  raw: Record<string, unknown>;
}

export function readResource<T extends ResourceTable>(
  { fields, callback }: T,
  { id, attributes, links, latest, raw }: ResourceEnvelope,
): Shown<T> {
  const shown = readFields(fields, attributes, latest);
  return { id, ...shown, ...(callback && { links }), raw } as Shown<T>;
}

export function readFields<T>(fields: FieldsOf<T>, wire: WireObject, latest?: number): T {
  const entries = Object.entries(fields as Fields);
  return Object.fromEntries(
    entries.map(([name, read]) => [name, read(wire, wireFieldOf(name), latest)]),
  ) as T;
}

export const text: Field<string | null> = (wire, name) => wireText(wire[name]);

/** Reads a text that the platform's older formats call otherwise. */
export const textOr =
  (...olderNames: readonly string[]): Field<string | null> =>
  (wire, name) =>
    wireTextOf(wire, name, ...olderNames);

export const texts: Field<string[]> = (wire, name) => wireTexts(wire[name]);

/** Reads a text by which something is recognised, see `wireName`. */
export const name: Field<string | null> = (wire, field) => wireName(wire[field]);

/** Reads the reference of a transaction. An empty one is none. */
export const reference: Field<string | null> = (wire, name) => wireText(wire[name])?.trim() || null;

/** Reads an amount without a currency: a decimal string. */
export const amountValue: Field<string | null> = (wire, name) => readAmountValue(wire[name]);

export const flag: Field<boolean | null> = (wire, name) => {
  const value = wire[name];
  return typeof value === 'boolean' ? value : null;
};

export const metadata: Field<Metadata | null> = (wire, name) =>
  wireObject(wire[name]) as Metadata | null;

/** Reads an object in the object. */
export const part =
  <T>(fields: FieldsOf<T>): Field<T | null> =>
  (wire, name, latest) => {
    const inner = wireObject(wire[name]);
    return inner && readFields(fields, inner, latest);
  };

/**
 * Reads the objects of a list; null when the value is no list. An entry that is no object is left out; it stays under `raw` of the
 * resource.
 */
export const listOrNull =
  <T>(fields: FieldsOf<T>): Field<T[] | null> =>
  (wire, name, latest) => {
    const list = wire[name];
    if (!Array.isArray(list)) return null;
    const items = list.map(wireObject).filter((item) => item !== null);
    return items.map((item) => readFields(fields, item, latest));
  };

/** Reads the same, with an empty list for a value that is no list. */
export const list =
  <T>(fields: FieldsOf<T>): Field<T[]> =>
  (wire, name, latest) =>
    listOrNull(fields)(wire, name, latest) ?? [];

/** Reads a field that the platform calls otherwise. */
export const at =
  <T>(name: string, read: Field<T>): Field<T> =>
  (wire, _ours, latest) =>
    read(wire, name, latest);

/** Returns the whole object as the platform sent it. */
export const whole: Field<Record<string, unknown>> = (wire) => wire;
