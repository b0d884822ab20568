import type { Html } from '@tillkit/pages';
import type { Page as ListPage, PageRequest } from '@tillkit/payments/internal/store';
import type { CsvColumn } from '../csv/csv.format.js';
import type { Section } from '../web/answer.dto.js';

/** One field of the filter of a list. */
export interface ListField<F> {
  /** Its name in the address and in the form. */
  name: string;
  label: string;
  input: 'text' | 'tel' | 'datetime-local' | 'amount' | readonly Choice[];
  hint?: string;
  /** Whether it names a person: then it is posted, and no address and no access log has it. */
  isPrivate?: true;
  /** Puts a text that is not empty into the filter. Returns what is wrong with it; null if nothing is. */
  readonly apply: (filter: F, value: string) => string | null;
}

export interface Choice {
  value: string;
  label: string;
}

/** What a page of a list shows. */
export interface ShownItems<T> {
  items: readonly T[];
  /** Whether the list may have others that its filter hides. */
  isFiltered: boolean;
}

/** A list of the store: its filter, its table and its CSV file. */
export interface ListDefinition<F, T> {
  section: Section;
  /** Its address below the account. */
  path: string;
  title: string;
  /** Below the title. */
  intro?: Html | string;
  /** What an operator can do with the list, above its filter. */
  readonly action?: (shown: ShownItems<T>) => Html | false | null;
  /** The values of the parameter `state`, each a tab. */
  states: readonly Choice[];
  /** The filter without any field. */
  filter: F;
  readonly applyStates: (filter: F, states: string[]) => void;
  fields: readonly ListField<F>[];
  read(filter: F, page: PageRequest): Promise<ListPage<T>>;
  /** A promise if it has more to read, for all items at once. */
  table(items: readonly T[]): Promise<Html> | Html;
  /** What stands below the list. */
  readonly below?: () => Promise<Html | null>;
  /** Why the list is empty without a filter. */
  none: string;
  /** Why it is empty with one. */
  noMatch: string;
  columns: readonly CsvColumn<T>[];
}
