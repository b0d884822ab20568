/** The conditions of a statement that is composed from a filter, and their values. */
export class Conditions {
  private readonly texts: string[] = [];
  private readonly list: unknown[] = [];

  /** @param column the column of the account, with its table if two tables have one */
  constructor(account: string, column = 'account') {
    this.add(`${column} = ?`, account);
  }

  /** Adds a condition in which each `?` stands for the value. Adds nothing if the value is undefined. */
  add(text: string, value: unknown): this {
    if (value === undefined) return this;
    this.list.push(value);
    this.texts.push(text.replaceAll('?', `$${this.list.length}`));
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
    this.list.push(cursor.microseconds, cursor.name);
    const count = this.list.length;
    const at = `(timestamptz 'epoch' + $${count - 1}::bigint * interval '1 microsecond')`;
    this.texts.push(`${time} <= ${at} and (${time}, ${name}) < (${at}, $${count}::text)`);
    return this;
  }

  get where(): string {
    return this.texts.join(' and ');
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

/** The expression that selects the cursor of a row. */
export function cursorOf(time: string, name: string): string {
  return `(extract(epoch from ${time}) * 1000000)::bigint || ' ' || ${name} as cursor`;
}

/** Returns undefined for an invalid cursor. */
export function readCursor(text: string): Cursor | undefined {
  const [, microseconds, name] = /^(-?\d{1,18}) (.*)$/s.exec(text) ?? [];
  return microseconds === undefined || name === undefined ? undefined : { microseconds, name };
}
