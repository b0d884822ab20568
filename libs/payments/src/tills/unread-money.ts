import type { NewPayment } from '../operations/payments/payment.js';
import type { Transaction } from '../money/transaction.js';
import { minorOf, unreadFields } from '../ledger/transaction-changes.js';
import { nameOf } from '../money/transaction-sameness.js';
import { digest } from '../money/digest.js';
import { isCurrency } from '../money/money.js';
import { isSameTill, type TillAliases } from '../money/till-number.js';
import { readTimestamp } from '../money/timestamp.js';
import type { UnreadMoney } from '../store/sweeps.store.js';
import type { MoneyWindow } from './match-window.js';

/** What sweeps have read of a time. Only money of these tills can be said not to have come. */
export interface Swept {
  readonly account: string;
  /** The only till that was read; null: all tills. */
  readonly till: string | null;
  /** What could not be read. */
  readonly unread: readonly UnreadMoney[];
}

/** Most that one account keeps apart. More are kept as one that fits everything of their time. */
const MOST_KEPT = 200;

/** Words of a status that say that no money came. Any other unknown word says nothing. */
const NO_MONEY = new Set(['failed', 'cancelled', 'canceled', 'declined', 'rejected', 'expired']);

/** What of a listed transaction cannot be read; null when all can, or when no money came. */
export function unreadOf(
  transaction: Transaction,
  movement: 'received' | 'reversed' | null,
  { from, to }: MoneyWindow,
): UnreadMoney | null {
  if (movement === 'reversed' || NO_MONEY.has(transaction.status?.toLowerCase() ?? '')) return null;
  const reference = nameOf(transaction);
  const fields = [
    ...(movement === null ? ['status'] : []),
    ...(reference === null ? ['reference'] : []),
    ...unreadFields(transaction),
  ];
  if (fields.length === 0) return null;
  const { currency, tillNumber, originationTime } = transaction;
  return {
    from: from.getTime(),
    to: to.getTime(),
    fields,
    reference,
    item: digest(16, transaction.raw),
    of: null,
    till: tillNumber?.trim() || null,
    currency: isCurrency(currency) ? currency : null,
    amountMinor: minorOf(transaction),
    originatedAt: readTimestamp(originationTime)?.getTime() ?? null,
  };
}

/** An item in which nothing can be read. */
export function unreadItem({ from, to }: MoneyWindow, item: string | null): UnreadMoney {
  return {
    from: from.getTime(),
    to: to.getTime(),
    fields: ['item'],
    reference: null,
    item,
    of: null,
    till: null,
    currency: null,
    amountMinor: null,
    originatedAt: null,
  };
}

/** Whether unread money may be that of a payment, by all that was read of it. */
export function mayBeOf(
  { id, tills, amount, amountMinor }: Pick<NewPayment, 'id' | 'tills' | 'amount' | 'amountMinor'>,
  window: MoneyWindow,
  unread: UnreadMoney,
  aliases: TillAliases,
): boolean {
  const [from, to] =
    unread.originatedAt === null
      ? [unread.from, unread.to]
      : [unread.originatedAt, unread.originatedAt];
  return (
    (unread.of === null || unread.of.includes(id)) &&
    from <= window.to.getTime() &&
    to >= window.from.getTime() &&
    (unread.currency ?? amount.currency) === amount.currency &&
    (unread.amountMinor ?? amountMinor) === amountMinor &&
    (unread.till === null || isSameTill(unread.till, tills, aliases))
  );
}

/** What a sweep found: what it could not read, and the names of everything that it listed, whose earlier reports it replaces. */
export interface Found {
  readonly unread: readonly UnreadMoney[];
  readonly names: readonly string[];
}

/** What is kept after a sweep: each once, without what is older than `since`. */
export function keptUnread(
  earlier: readonly UnreadMoney[],
  found: Found,
  since: number,
): readonly UnreadMoney[] {
  const replaced = new Set(found.names);
  const kept = new Map<string, UnreadMoney>();
  for (const each of earlier)
    if (each.to >= since && !(each.reference !== null && replaced.has(each.reference)))
      kept.set(nameIn(each), each);
  for (const each of found.unread) kept.set(nameIn(each), narrowed(each, kept.get(nameIn(each))));
  const all = [...kept.values()];
  return all.length <= MOST_KEPT ? all : together(all);
}

function nameIn({ reference, item, till, currency, amountMinor }: UnreadMoney): string {
  return JSON.stringify(reference === null ? [item, till, currency, amountMinor] : reference);
}

/** The same item is listed by each window that contains it, so it is of the time that they have in common. */
function narrowed(each: UnreadMoney, before: UnreadMoney | undefined): UnreadMoney {
  if (!before) return each;
  const [from, to] = [Math.max(each.from, before.from), Math.min(each.to, before.to)];
  return from <= to ? { ...each, from, to } : each;
}

/** Those of one till and amount as one; if there are too many tills and amounts, all as one. */
function together(all: readonly UnreadMoney[]): readonly UnreadMoney[] {
  const merged = new Map<string, UnreadMoney>();
  for (const each of all) {
    const name = JSON.stringify([each.till, each.currency, each.amountMinor]);
    const before = merged.get(name);
    merged.set(name, before ? both(before, each) : { ...each, reference: null, item: null });
  }
  const [first, ...others] = merged.values();
  if (!first || merged.size <= MOST_KEPT) return [...merged.values()];
  const { from, to } = others.reduce(both, first);
  return [unreadItem({ from: new Date(from), to: new Date(to) }, null)];
}

function both(one: UnreadMoney, other: UnreadMoney): UnreadMoney {
  return {
    ...one,
    from: Math.min(one.from, other.from),
    to: Math.max(one.to, other.to),
    fields: [...new Set([...one.fields, ...other.fields])],
    of: one.of && other.of && [...one.of, ...other.of],
    originatedAt: null,
  };
}
