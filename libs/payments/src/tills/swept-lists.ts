import type { Transaction } from '../money/transaction.js';
import { nameOf } from '../money/transaction-sameness.js';
import { readTimestamp } from '../money/timestamp.js';
import { unreadFields } from '../ledger/transaction-changes.js';
import type { MoneyWindow } from './match-window.js';

/** The platform may list what originated this much before or after the span that was asked. */
const OUTSIDE_MS = 60_000;

/** True when a list of a span may contain a transaction of this time. */
export function isInSpan(at: Date, { from, to }: MoneyWindow): boolean {
  return at.getTime() >= from.getTime() - OUTSIDE_MS && at.getTime() <= to.getTime() + OUTSIDE_MS;
}

/** Most items that one sweep keeps apart. More count as one that may be any money of their time. */
const MOST_UNREAD = 1_000;

/** Words of a status that say that no money came. Any other unknown word says nothing. */
const NO_MONEY = new Set(['failed', 'cancelled', 'canceled', 'declined', 'rejected', 'expired']);

/** An item of a list that cannot be read: it may be money of any payment of that span. */
export interface UnreadItem extends MoneyWindow {
  /** Its till; null when that cannot be read either: then it may be at any. */
  readonly till: string | null;
  /** Names the item for the person who decides. */
  readonly what: string;
}

/** The lists that one sweep has in hand: all that the platform shows of a span. */
export interface SweptLists extends MoneyWindow {
  readonly account: string;
  /** The only till that was read; null: all tills. */
  readonly till: string | null;
  readonly unread: readonly UnreadItem[];
}

/** Returns an item in which nothing can be read. */
export function unreadItem({ from, to }: MoneyWindow): UnreadItem {
  return { from, to, till: null, what: `an item at ${from.toISOString()} or later` };
}

/** Returns a listed transaction of which something cannot be read that a match needs; null when all can, or when no money came. */
export function unreadIn(
  transaction: Transaction,
  movement: 'received' | 'reversed' | null,
  span: MoneyWindow,
): UnreadItem | null {
  if (movement === 'reversed' || NO_MONEY.has(transaction.status?.toLowerCase() ?? '')) return null;
  const at = readTimestamp(transaction.originationTime);
  const name = nameOf(transaction);
  const fields = [
    ...(movement === null ? ['status'] : []),
    ...(name === null ? ['reference'] : []),
    ...unreadFields(transaction),
    ...(at && !isInSpan(at, span) ? ['origination_time'] : []),
  ];
  if (fields.length === 0) return null;
  const till = transaction.tillNumber?.trim() || null;
  const what = `${name === null ? 'an item' : `transaction ${name}`} (${fields.join(', ')})`;
  return { from: span.from, to: span.to, till, what };
}

/** Adds the lists of the next window. */
export function withWindow(
  lists: SweptLists,
  { to }: MoneyWindow,
  found: readonly UnreadItem[],
): SweptLists {
  const all = [...lists.unread, ...found];
  const unread = all.length <= MOST_UNREAD ? all : [unreadItem({ from: lists.from, to })];
  return { ...lists, to, unread };
}
