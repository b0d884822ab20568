import { InvalidInputError } from '../simulator.errors.js';
import { isObject } from '../server/body.dto.js';
import { requireNumber, type NumberRange } from '../values/number-range.js';
import { requireShortText } from '../values/short-text.js';

/** Reads the fields of a control request. Every method throws InvalidInputError that names the field. */
export class ControlInput {
  constructor(
    readonly params: Readonly<Record<string, string>>,
    readonly query: Readonly<Record<string, string | undefined>>,
    private readonly body: Readonly<Record<string, unknown>>,
  ) {}

  /** @throws InvalidInputError for a body that is not a JSON object. */
  static parse(
    params: Readonly<Record<string, string>>,
    query: Readonly<Record<string, string | undefined>>,
    bytes: Buffer | null,
  ): ControlInput {
    if (!bytes || bytes.length === 0) return new ControlInput(params, query, {});
    let body: unknown;
    try {
      body = JSON.parse(bytes.toString());
    } catch {
      throw new InvalidInputError('The body is not JSON.');
    }
    if (!isObject(body)) throw new InvalidInputError('The body must be a JSON object.');
    return new ControlInput(params, query, body);
  }

  /** The name of the merchant whose data the caller wants; undefined for all merchants. */
  get merchant(): string | undefined {
    return this.query.merchant || undefined;
  }

  param(name: string): string {
    return this.params[name] ?? '';
  }

  has(name: string): boolean {
    return this.body[name] !== undefined;
  }

  number(name: string, range: NumberRange): number {
    return requireNumber(name, this.body[name], range);
  }

  text(name: string): string {
    return requireShortText(name, this.body[name]);
  }

  /** Returns a list of texts. */
  texts(name: string): string[] {
    const value = this.body[name];
    if (!Array.isArray(value)) throw new InvalidInputError(`${name} must be a list of strings.`);
    return value.map((each, index) => requireShortText(`${name}[${index}]`, each));
  }

  /** Returns a whole number of the query, of 0 or more. */
  queryNumber(name: string, otherwise: number, min = 0): number {
    const text = this.query[name];
    if (text === undefined) return otherwise;
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return requireNumber(name, value, { min, max: Number.MAX_SAFE_INTEGER, isWhole: true });
  }

  object(name: string): Record<string, unknown> {
    const value = this.body[name] ?? {};
    if (!isObject(value)) throw new InvalidInputError(`${name} must be an object.`);
    return value;
  }

  optionalNumber(name: string, range: NumberRange): number | undefined {
    return this.has(name) ? this.number(name, range) : undefined;
  }

  optionalText(name: string): string | undefined {
    return this.has(name) ? this.text(name) : undefined;
  }

  /** Returns the given texts among these fields. A field that is missing is left out. */
  optionalTexts<Name extends string>(...names: Name[]): { [name in Name]?: string } {
    const given = names.filter((name) => this.has(name)).map((name) => [name, this.text(name)]);
    return Object.fromEntries(given) as { [name in Name]?: string };
  }
}
