import type { AssetResponse, Html } from '@tillkit/pages';

/** The entries of the menu. */
export type Section =
  | 'accounts'
  | 'overview'
  | 'totals'
  | 'statement'
  | 'payments'
  | 'payouts'
  | 'refunds'
  | 'payment-links'
  | 'transactions'
  | 'deliveries'
  | 'dead-letters'
  | 'anomalies'
  | 'reconciliation'
  | 'sending';

export interface Page {
  kind: 'page';
  section: Section | null;
  title: string;
  body: Html;
  /** @default 200 */
  status?: number;
  /** Id of the operation that the page is about, if there is one. The page shows its changes at once. */
  about?: string;
  /** True when a person fills in the page or decides on it. Then the page does not change by itself. */
  isForm?: boolean;
}

/** A redirect (303) to another page. */
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

/** A file that the browser saves. We send it while we make it. */
export interface File {
  kind: 'file';
  name: string;
  /** Media type of a text. */
  type: string;
  chunks: AsyncIterable<string> | Iterable<string>;
}

/** A response that stays open. */
export interface Stream {
  kind: 'stream';
  open: (response: object) => void;
}

/** The result of a handler. */
export type Answer = Page | Redirect | Json | Asset | File | Stream;

export function page(
  section: Section | null,
  title: string,
  body: Html,
  more: Pick<Page, 'status' | 'about' | 'isForm'> = {},
): Page {
  return { kind: 'page', section, title, body, ...more };
}

export function redirect(to: string): Redirect {
  return { kind: 'redirect', to };
}
