import type { Html } from '@tillkit/pages';
import type { Page as ListPage, PageRequest } from '@tillkit/payments/internal/store';
import type { CsvColumn } from '../csv/csv.format.js';
import type { Section } from '../web/answer.dto.js';

export interface ListField<F> {
  /** Its name in the address and in the form. */
  name: string;
  label: string;
  input: 'text' | 'tel' | 'datetime-local' | 'amount' | readonly Choice[];
  hint?: string;
  /** True when the field names a person. Then it is posted, so that no address and no access log contains it. */
  isPrivate?: true;
  /** Puts a text that is not empty into the filter. Returns the problem of the text; null when there is none. */
  readonly apply: (filter: F, value: string) => string | null;
}

export interface Choice {
  value: string;
  label: string;
}

export interface ShownItems<T> {
  items: readonly T[];
  /** True when a filter is set, so that it may hide other items. */
  isFiltered: boolean;
}

/** A list of the store: its filter, its table and its CSV file. */
export interface ListDefinition<F, T> {
  section: Section;
  /** Its address below the account. */
  path: string;
  title: string;
  /** This text stands below the title. */
  intro?: Html | string;
  /** Shows the actions of an operator on the list, above its filter. */
  readonly action?: (shown: ShownItems<T>) => Html | false | null;
  /** The values of the parameter `state`. Each has a tab. */
  states: readonly Choice[];
  /** The filter before any field is applied. */
  filter: F;
  readonly applyStates: (filter: F, states: string[]) => void;
  fields: readonly ListField<F>[];
  read(filter: F, page: PageRequest): Promise<ListPage<T>>;
  /** It may return a promise, so that it can read more for all items at once. */
  table(items: readonly T[]): Promise<Html> | Html;
  /** This part stands below the list. */
  readonly below?: () => Promise<Html | null>;
  /** This text stands in an empty list without a filter. */
  none: string;
  /** This text stands in an empty list with a filter. */
  noMatch: string;
  columns: readonly CsvColumn<T>[];
}
