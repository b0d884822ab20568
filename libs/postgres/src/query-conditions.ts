import { storableText } from './storable.js';

/** The conditions of a statement that is composed from a filter, and their values. */
export class Conditions {
  private readonly texts: string[] = [];

  private constructor(private readonly list: unknown[]) {}

  /** @param column the column of the account, with its table if two tables have one */
  static ofAccount(account: string, column = 'account'): Conditions {
    return new Conditions([]).add(`${column} = ?`, account);
  }

  /** Returns other conditions of the same statement. */
  others(): Conditions {
    return new Conditions(this.list);
  }

  /** Adds a value without a condition. Returns its placeholder. */
  value(value: unknown): string {
    this.list.push(value);
    return `$${this.list.length}`;
  }

  /** Adds a condition in which each `?` stands for the value. Adds nothing if the value is undefined. */
  add(text: string, value: unknown): this {
    if (value !== undefined) this.texts.push(text.replaceAll('?', this.value(value)));
    return this;
  }

  /** Adds a condition without a value. */
  state(text: string): this {
    this.texts.push(text);
    return this;
  }

  /** Keyset pagination, newest first: rows older than the cursor (time, then name). */
  before(time: string, name: string, cursor: Cursor | undefined): this {
    if (!cursor) return this;
    const microseconds = this.value(cursor.microseconds);
    const at = `(timestamptz 'epoch' + ${microseconds}::bigint * interval '1 microsecond')`;
    this.texts.push(
      `${time} <= ${at} and (${time}, ${name}) < (${at}, ${this.value(cursor.name)}::text)`,
    );
    return this;
  }

  get where(): string {
    return this.texts.length === 0 ? 'true' : this.texts.join(' and ');
  }

  get values(): unknown[] {
    return this.list;
  }
}

/** The key of the last row of a page. */
export interface Cursor {
  microseconds: string;
  name: string;
}

/** Returns the expression that selects the cursor of a row. */
export function cursorOf(time: string, name: string, column = 'cursor'): string {
  return `(extract(epoch from ${time}) * 1000000)::bigint || ' ' || ${name} as ${column}`;
}

/** Returns the condition that a column in lower case begins with a text. An index may contain only the first `length` characters of the column. */
export function beginsWith(
  conditions: Conditions,
  column: string,
  text: string,
  length: number,
): string {
  const likes = beginnings(text, length).map(
    (pattern) => `${column} like ${conditions.value(pattern)}`,
  );
  return `(${likes.join(' or ')})`;
}

/**
 * Returns the patterns of texts that begin with a text. A database with the locale C knows only the letters A to Z, so its `lower()` leaves `É` as it
 * is. A text with other letters therefore has a pattern for each usual way to write it.
 */
export function beginnings(text: string, length: number): string[] {
  const written = storableText(text).trim();
  const lower = written.toLowerCase();
  const [first = '', ...rest] = Array.from(lower);
  const forms = [lower, written.toUpperCase(), first.toUpperCase() + rest.join('')];
  const patterns = forms.map((form) => {
    const plain = form.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    const begun = Array.from(plain).slice(0, length).join('');
    return `${begun.replace(/[\\%_]/g, '\\$&')}%`;
  });
  return [...new Set(patterns)];
}

/** The beginning of the calendar of PostgreSQL, 4714 BC. Its end has 19 digits. */
const FIRST_MICROSECOND = -210_866_803_200_000_000n;

/** Returns undefined for an invalid cursor. */
export function readCursor(text: string): Cursor | undefined {
  const [, microseconds, name] = /^(-?\d{1,18}) (.*)$/s.exec(text) ?? [];
  if (microseconds === undefined || name === undefined) return undefined;
  return BigInt(microseconds) < FIRST_MICROSECOND ? undefined : { microseconds, name };
}
