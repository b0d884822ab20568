import type { NewPayment } from '../operations/payments/payment.js';
import type { Transaction } from '../resources/transaction.resource.js';
import { minorOf, unreadFields } from '../transactions/transaction.changes.js';
import { nameOf } from '../transactions/transaction.sameness.js';
import { isCurrency } from '../values/money.js';
import { isSameTill, type TillAliases } from '../values/till-number.js';
import { readTimestamp } from '../values/timestamp.js';
import type { MoneyWindow } from './match-window.js';

/**
 * What a sweep found listed and could not read in full. It may be money, so it contradicts only by what was read. It holds nothing about a person:
 * the record of its reference does.
 */
export interface UnreadMoney {
  /** The window in which it was listed, in epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  /** The fields that could not be read. */
  readonly fields: readonly string[];
  /** Reference, or `id:` and id; null when it has neither. */
  readonly reference: string | null;
  readonly till: string | null;
  readonly currency: string | null;
  readonly amountMinor: string | null;
  /** In epoch milliseconds. */
  readonly originatedAt: number | null;
}

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
    till: tillNumber?.trim() || null,
    currency: isCurrency(currency) ? currency : null,
    amountMinor: minorOf(transaction),
    originatedAt: readTimestamp(originationTime)?.getTime() ?? null,
  };
}

/** An item in which nothing can be read. */
export function unreadItem({ from, to }: MoneyWindow): UnreadMoney {
  return {
    from: from.getTime(),
    to: to.getTime(),
    fields: ['item'],
    reference: null,
    till: null,
    currency: null,
    amountMinor: null,
    originatedAt: null,
  };
}

/** Whether unread money may be that of a payment, by all that was read of it. */
export function mayBeOf(
  { tills, amount, amountMinor }: Pick<NewPayment, 'tills' | 'amount' | 'amountMinor'>,
  window: MoneyWindow,
  unread: UnreadMoney,
  aliases: TillAliases,
): boolean {
  const [from, to] =
    unread.originatedAt === null
      ? [unread.from, unread.to]
      : [unread.originatedAt, unread.originatedAt];
  return (
    from <= window.to.getTime() &&
    to >= window.from.getTime() &&
    (unread.currency ?? amount.currency) === amount.currency &&
    (unread.amountMinor ?? amountMinor) === amountMinor &&
    (unread.till === null || isSameTill(unread.till, tills, aliases))
  );
}

/** What is kept after a sweep: each once, without what is older than `since`. */
export function keptUnread(
  known: readonly UnreadMoney[],
  found: readonly UnreadMoney[],
  since: number,
): readonly UnreadMoney[] {
  const kept = new Map<string, UnreadMoney>();
  for (const each of [...known, ...found]) {
    if (each.to < since) continue;
    const { from, to, ...what } = each;
    // The same item is listed by each window that contains it. The shortest says most.
    const name = JSON.stringify(each.reference === null ? each : what);
    const before = kept.get(name);
    if (!before || to - from < before.to - before.from) kept.set(name, each);
  }
  const all = [...kept.values()];
  if (all.length <= MOST_KEPT) return all;
  const from = new Date(Math.min(...all.map((each) => each.from)));
  return [unreadItem({ from, to: new Date(Math.max(...all.map((each) => each.to))) })];
}
