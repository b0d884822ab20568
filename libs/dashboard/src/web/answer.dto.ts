import type { AssetResponse, Html } from '@tillkit/pages';

/** The entries of the menu: each page belongs to one. */
export type Section =
  | 'overview'
  | 'payments'
  | 'transactions'
  | 'deliveries'
  | 'dead-letters'
  | 'anomalies'
  | 'reconciliation';

export interface Page {
  kind: 'page';
  section: Section | null;
  title: string;
  body: Html;
  /** @default 200 */
  status?: number;
}

/** After a change, or from an address that has no page of its own. */
export interface Redirect {
  kind: 'redirect';
  to: string;
}

export interface Json {
  kind: 'json';
  value: unknown;
}

export interface Asset {
  kind: 'asset';
  response: AssetResponse;
}

/** What a handler responds with. */
export type Answer = Page | Redirect | Json | Asset;

export function page(
  section: Section | null,
  title: string,
  body: Html,
  more: Pick<Page, 'status'> = {},
): Page {
  return { kind: 'page', section, title, body, ...more };
}

export function redirect(to: string): Redirect {
  return { kind: 'redirect', to };
}
