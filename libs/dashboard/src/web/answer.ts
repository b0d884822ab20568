import type { Html } from '../html/html.template.js';

/** Which entry of the menu a page stands under. */
export type Place =
  | 'overview'
  | 'payments'
  | 'transactions'
  | 'deliveries'
  | 'dead-letters'
  | 'reconciliation'
  | 'sightings';

export interface Page {
  kind: 'page';
  place: Place | null;
  title: string;
  body: Html;
  /** @default 200 */
  status?: number;
}

/** After a change, or to where the page really is. */
export interface Redirect {
  kind: 'redirect';
  to: string;
}

export interface Json {
  kind: 'json';
  value: unknown;
}

export interface File {
  kind: 'file';
  type: string;
  text: string;
  etag: string;
}

export type Answer = Page | Redirect | Json | File;

export function page(
  place: Place | null,
  title: string,
  body: Html,
  more: Pick<Page, 'status'> = {},
): Page {
  return { kind: 'page', place, title, body, ...more };
}

export function redirect(to: string): Redirect {
  return { kind: 'redirect', to };
}
