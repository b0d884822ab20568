import { maskPhones } from '@tillkit/payments/internal/routes';
import { SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import picocolors from 'picocolors';
import type { CommandContext } from '../command-context.js';
import { plainJson, plainText } from './plain-text.js';

/** Values that are never phone numbers, although some look like one. */
const NEVER_MASKED: ReadonlySet<string> = new Set([
  'id',
  'eventId',
  'platformId',
  'paymentId',
  'reference',
  'tillNumber',
  'next',
]);

const BORDERS = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
  'left',
  'left-mid',
  'mid',
  'mid-mid',
  'right',
  'right-mid',
] as const;

/** A table without borders, which `grep` and `cut` can read. */
const BORDERLESS = {
  chars: { ...Object.fromEntries(BORDERS.map((part) => [part, ''])), middle: '  ' },
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
};

/** The columns of a table, or the fields of one thing: their names, and of each its field or a text that is safe. */
export type Columns<Item> = Readonly<
  Record<string, (keyof Item & string) | ((item: Item, output: Output) => string)>
>;

/** Prints for a command. It masks phone numbers and writes out control characters, so that no command has to do so. */
export class Output {
  readonly isJson: boolean;
  readonly colors: ReturnType<typeof picocolors.createColors>;
  private readonly showsPhones: boolean;

  constructor(
    private readonly context: CommandContext,
    { json, showPhones }: { json?: true; showPhones?: true },
  ) {
    this.isJson = json === true;
    this.showsPhones = showPhones === true;
    this.colors = picocolors.createColors(context.hasColors && !this.isJson);
  }

  /** Prints a result: as JSON with `--json`, else as text. */
  result(value: unknown, text: () => string): void {
    if (this.isJson) this.json(value);
    else this.line(text());
  }

  /** Prints a result like {@link result}, but masks nothing: it belongs to the person who asks, such as a signature. */
  exact(value: unknown, text: () => string): void {
    if (this.isJson) this.context.write(`${plainJson(value, 2)}\n`);
    else this.line(text());
  }

  /** Prints one of many results that belong to one person, with that person's data, as a line of JSON. */
  exactEntry(value: unknown): void {
    this.context.write(`${plainJson(value)}\n`);
  }

  /** Prints JSON, whatever the options are. */
  json(value: unknown): void {
    this.context.write(`${plainJson(this.withoutPhones(value), 2)}\n`);
  }

  /** Prints one of many results, on a line of its own: JSON lines with `--json`. */
  entry(value: unknown, text: () => string): void {
    if (this.isJson) this.context.write(`${plainJson(this.withoutPhones(value))}\n`);
    else this.line(text());
  }

  /** Prints text that is safe already. */
  line(text: string): void {
    this.context.write(`${text.replace(/\n+$/, '')}\n`);
  }

  /** Says something beside the result. */
  note(text: string): void {
    this.context.writeError(`${plainText(text)}\n`);
  }

  /** Returns a text from outside, without control characters and with phone numbers masked. */
  text(value: unknown): string {
    if (value === null || value === undefined) return '';
    if (value instanceof Date) return value.toISOString();
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value as string);
    return plainText(this.masked(text));
  }

  /** Returns a text with phone numbers masked. It may still have control characters. */
  masked(text: string): string {
    return this.showsPhones ? text : maskPhones(text);
  }

  /** Makes an id or a reference safe. They are no phone numbers, so nothing is masked. */
  id(value: string | null): string {
    return plainText(value ?? '');
  }

  /** Writes things in rows, below the names of the columns. */
  table<Item>(columns: Columns<Item>, items: readonly Item[]): string {
    const head = Object.keys(columns).map((name) => this.colors.dim(name));
    const table = new Table({ ...BORDERLESS, head });
    table.push(...items.map((item) => this.cells(columns, item).map(([, value]) => value)));
    return withoutTrailingSpace(table.toString());
  }

  /** Returns names and values of one thing, one a line. Values that are empty are left out. */
  fields<Item>(fields: Columns<Item>, item: Item): string {
    const shown = this.cells(fields, item).filter(([, value]) => value !== '');
    const width = Math.max(...shown.map(([name]) => name.length));
    return shown
      .map(([name, value]) => `${this.colors.dim(name.padEnd(width))}  ${value}`)
      .join('\n');
  }

  /** Does work on each of many things, with a progress bar on the terminal. */
  async each<T>(
    things: readonly T[],
    what: string,
    work: (thing: T) => Promise<void>,
  ): Promise<void> {
    const progress = this.progress(what);
    try {
      for (const [index, thing] of things.entries()) {
        progress.at(index, things.length);
        await work(thing);
      }
    } finally {
      progress.stop();
    }
  }

  /** Returns a progress bar on the terminal, if there is one and there is more than one step. */
  progress(what: string): { at: (done: number, all: number) => void; stop: () => void } {
    const { progress: stream } = this.context;
    let bar: SingleBar | null = null;
    const start = (all: number): SingleBar | null => {
      if (!stream || all < 2) return null;
      const format = `${what} {bar} {value} of {total}`;
      const started = new SingleBar({ stream, format, clearOnComplete: true, hideCursor: true });
      started.start(all, 0);
      return started;
    };
    return {
      at: (done, all) => {
        bar ??= start(all);
        bar?.update(done);
      },
      stop: () => bar?.stop(),
    };
  }

  private cells<Item>(columns: Columns<Item>, item: Item): [name: string, value: string][] {
    return Object.entries(columns).map(([name, cell]) => [
      name,
      typeof cell === 'function' ? cell(item, this) : this.cell(cell, item[cell]),
    ]);
  }

  private cell(field: string, value: unknown): string {
    return NEVER_MASKED.has(field) ? this.id(value as string | null) : this.text(value);
  }

  private withoutPhones(value: unknown, key = ''): unknown {
    if (typeof value === 'string')
      return this.showsPhones || NEVER_MASKED.has(key) ? value : maskPhones(value);
    if (Array.isArray(value)) return value.map((item) => this.withoutPhones(item, key));
    if (value === null || typeof value !== 'object' || value instanceof Date) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [name, this.withoutPhones(field, name)]),
    );
  }
}

function withoutTrailingSpace(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
