import { html, Html } from '@tillkit/pages';
import { ENGLISH, type Words } from '@tillkit/dashboard';

/** What {@link MARKED_WORDS} write, without the values of a text. */
export const MARK = /⟦[^⟧]*⟧/g;

type Text = (...values: never[]) => unknown;

/** Words of no language: each text is its path in the table, and its values. */
export const MARKED_WORDS: Words = { ...marked(ENGLISH), language: 'de' };

function marked<Table extends object>(table: Table, path = ''): Table {
  const entries = Object.entries(table).map(([name, text]: [string, string | Text | object]) => [
    name,
    replaced(text, path + name),
  ]);
  return Object.fromEntries(entries) as Table;
}

function replaced(text: string | Text | object, path: string): unknown {
  if (typeof text === 'string') return `⟦${path}⟧`;
  if (typeof text === 'object') return marked(text, `${path}.`);
  return (...values: never[]) =>
    text(...values) instanceof Html
      ? html`⟦${path}⟧ ${values.map((value) => html`${value} `)}`
      : `⟦${path}⟧ ${values.join(' ')}`;
}
