import { type Amount, readAmountValue, readCurrency } from '../money/money.js';
import { isIdentifier } from '../money/values.js';
import { PaymentsValidationError } from '../payments.errors.js';
import { PlatformResponseError } from '../platform.errors.js';
import { sealUrlMacs } from './callback-urls.js';

/** Readers of values that the platform sends. A value of an unexpected type counts as absent; no reader throws. */

/** The limit is in characters. Work on a text must not take long. */
const LONGEST_TEXT = 4_096;

/** Texts of a list that are read. */
const MOST_TEXTS = 50;

export type WireObject = Record<string, unknown>;

export function wireObject(value: unknown): WireObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as WireObject)
    : null;
}

/**
 * Returns a text, or a number as text: the platform sends ids and till numbers as both. A number beyond 2^53 is none, because JSON has read it as
 * another one. A text of more than 4,096 characters is cut, and not left out: it names something, and an absent text would contradict nothing.
 */
export function wireText(value: unknown): string | null {
  if (typeof value === 'string') return value.slice(0, LONGEST_TEXT);
  const isExact =
    Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return isExact ? String(value) : null;
}

/**
 * Returns a text by which something is recognised, such as a reference. A text of more than 4,096 characters counts as none, because two of them may
 * begin alike.
 */
export function wireName(value: unknown): string | null {
  return typeof value === 'string' && value.length > LONGEST_TEXT ? null : wireText(value);
}

/**
 * Returns the text of a field that the platform's older formats call otherwise: the first of these names that has one.
 * @param names the present name, then the older ones
 */
export function wireTextOf(object: WireObject, ...names: readonly string[]): string | null {
  const texts = names.map((name) => wireText(object[name]));
  return texts.find((text) => text !== null && text.trim() !== '') ?? texts[0] ?? null;
}

/**
 * Returns the texts of a list, or a single text: the platform sends `event.errors` as both. An empty value (null, false, an empty list, object or
 * text, also nested) is no text. Any other value becomes JSON text, so that no error is lost; a long one is cut.
 */
export function wireTexts(value: unknown): string[] {
  if (isEmpty(value)) return [];
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items
    .filter((item) => !isEmpty(item))
    .slice(0, MOST_TEXTS)
    .map((item) => (typeof item === 'string' ? item : JSON.stringify(item)).slice(0, LONGEST_TEXT));
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return true;
  if (typeof value === 'string') return value.trim() === '';
  return typeof value === 'object' && Object.values(value).every(isEmpty);
}

/** Returns an amount with its currency; null unless both are readable. */
export function readAmount(currency: unknown, value: unknown): Amount | null {
  const code = readCurrency(wireText(currency));
  const amount = { currency: code, value: readAmountValue(value, code) };
  return amount.currency !== null && amount.value !== null ? (amount as Amount) : null;
}

/** The platform requires a JSON number. `amountProblem` refuses amounts that a JSON number cannot carry exactly. */
export function toWireAmount({ currency, value }: Amount): WireObject {
  return { currency, value: Number(value) };
}

/** Returns the name of a field on the wire: `phone_number` of `phoneNumber`. */
export function wireFieldOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns fields as the platform names them. A field without a value is left out. */
export function toWireFields(fields: object): WireObject {
  const entries = Object.entries(fields) as [string, unknown][];
  return Object.fromEntries(
    entries
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [wireFieldOf(name), value]),
  );
}

/** Returns the body of a create whose result the platform posts. */
export function toWireRequest(fields: object, callbackUrl: string): WireObject {
  return { ...toWireFields(fields), _links: { callback_url: callbackUrl } };
}

/** Reads an envelope; null when the body is not a resource. @param latest see `timestampOf` */
export function readEnvelope(body: unknown, latest?: number): ResourceEnvelope | null {
  const raw = wireObject(wireObject(body)?.['data']);
  const attributes = wireObject(raw?.['attributes']);
  const type = wireName(raw?.['type']);
  if (!raw || !attributes || !isIdentifier(raw['id']) || type === null) return null;
  const links = wireObject(attributes['_links']);
  if (links && typeof links['callback_url'] === 'string') {
    links['callback_url'] = sealUrlMacs(links['callback_url']);
  }
  return {
    id: raw['id'],
    type,
    attributes,
    links: { callbackUrl: wireText(links?.['callback_url']), self: wireText(links?.['self']) },
    ...(latest !== undefined && { latest }),
    raw,
  };
}

/**
 * @param types the names that the platform uses for the type; any type when there are none
 * @throws PlatformResponseError when the answer is not the requested resource
 */
export function expectEnvelope(
  operation: string,
  body: unknown,
  id: string,
  ...types: readonly string[]
): ResourceEnvelope {
  const envelope = readEnvelope(body);
  if (!envelope)
    throw new PlatformResponseError(
      operation,
      200,
      'its body is no resource with id, type and attributes.',
    );
  if (envelope.id !== id)
    throw new PlatformResponseError(operation, 200, 'it describes another resource.');
  if (types.length > 0 && !types.includes(envelope.type)) {
    throw new PlatformResponseError(operation, 200, `its type is not "${types[0]}".`);
  }
  return envelope;
}

/**
 * Checks an id and encodes it as a path segment.
 * @throws PaymentsValidationError for a text that could change the URL; nothing was sent
 */
export function resourceId(id: string): string {
  if (!isIdentifier(id)) {
    throw new PaymentsValidationError([
      { field: 'id', problem: 'must be 1 to 128 of A-Z a-z 0-9 _ -' },
    ]);
  }
  return encodeURIComponent(id);
}

/** The envelope of every resource that we read or that the platform posts: `data` with `id`, `type` and `attributes`. */
export interface ResourceEnvelope {
  id: string;
  type: string;
  attributes: Record<string, unknown>;
  links: { callbackUrl: string | null; self: string | null };
  /** A time in it that is later than this cannot be true, see `timestampOf`. */
  latest?: number | undefined;
  /** The whole `data` object as it came, except that the MAC in its callback URL, a secret, is replaced by its hash. */
  raw: Record<string, unknown>;
}
