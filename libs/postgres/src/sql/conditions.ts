/** Conditions of a statement that is put together from what is asked for, and their values. */
export class Conditions {
  private readonly texts: string[] = [];
  private readonly list: unknown[] = [];

  /** @param column of the account, with its table where two have one */
  constructor(account: string, column = 'account') {
    this.add(`${column} = ?`, account);
  }

  /** Each `?` stands for the value that was given with it; nothing is added for an undefined value. */
  add(text: string, value: unknown): this {
    if (value === undefined) return this;
    this.list.push(value);
    this.texts.push(text.replaceAll('?', `$${this.list.length}`));
    return this;
  }

  /** Adds what needs no value. */
  state(text: string): this {
    this.texts.push(text);
    return this;
  }

  /** Before where a page ended, in falling order of a time and a text that tells apart. */
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

/** Where a page ended. */
export interface Cursor {
  microseconds: string;
  name: string;
}

/** Selects what a cursor is made of. */
export function cursorOf(time: string, name: string): string {
  return `(extract(epoch from ${time}) * 1000000)::bigint || ' ' || ${name} as cursor`;
}

/** Undefined for what is no end of a page. */
export function readCursor(text: string): Cursor | undefined {
  const [, microseconds, name] = /^(-?\d{1,18}) (.*)$/s.exec(text) ?? [];
  return microseconds === undefined || name === undefined ? undefined : { microseconds, name };
}
