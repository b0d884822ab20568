import type { Measure } from '../money/total.js';

/** Work of one account that waits now. @publicApi */
export interface Backlog {
  deliveries: number;
  oldestDeliveryMs: number | null;
  calls: number;
  oldestCallMs: number | null;
  deadLetters: number;
  unrecognised: number;
  openPayments: number;
  /** Operations that wait for a person's decision. */
  inReview: number;
  oldestInReviewMs: number | null;
  /** Operations of the last 24 hours that passed another one in their way (`besides`). */
  passedGuard: number;
}

/**
 * Work waits in these queues: deliveries that are not processed, listener calls that are not made, dead letters, deliveries that this
 * version does not understand, operations that have not settled (payment links apart, because nobody may pay them for days), those that
 * wait for a person's decision, and those of the last 24 hours that passed another one in their way.
 */
export const QUEUES = [
  'deliveries',
  'calls',
  'dead_letters',
  'unrecognised',
  'open',
  'open_links',
  'in_review',
  'passed_guard',
] as const;

export type QueueName = (typeof QUEUES)[number];

/** Says how much waits in one queue for one account. */
export interface QueueLength {
  account: string;
  queue: QueueName;
  count: number;
  /** Milliseconds since the first of it came, by the store's clock. */
  oldestMs: number;
}

/** An event, a delivery or an operation that came lately. */
export interface RecentChange {
  /** The key changes when a duplicate of the delivery came, or the operation changed. */
  key: string;
  /** The stream of an event, or the id of an operation; null when it is not known. */
  about: string | null;
}

/** Reads what waits. Every method may throw `StoreUnavailableError`. */
export abstract class StatisticsStore {
  abstract backlog(account: string): Promise<Backlog>;
  /**
   * Returns the newest events, deliveries and operations that came in the last `withinMs` milliseconds, at most `limit` of each. Its cost depends on
   * what came in that time, so that it can be called every few seconds.
   */
  abstract recentChanges(account: string, withinMs: number, limit: number): Promise<RecentChange[]>;
  /** Returns all queues of all accounts in which something waits, by one statement: its cost depends on what waits, not on what is kept. */
  abstract queues(): Promise<QueueLength[]>;
}

export interface TotalsQuery {
  measures: readonly Measure[];
  /**
   * The times between which one total each is wanted, none before the one ahead of it: n times give n - 1 spans. A total belongs to the span in which its
   * quarter of an hour begins.
   */
  boundaries: readonly Date[];
}

/** The total of one span. */
export interface Total {
  /** Index of the span: 0 is from the first to the second boundary. */
  span: number;
  measure: Measure;
  kind: string;
  name: string;
  till: string;
  currency: string;
  count: number;
  /** Sum in minor units, as text. */
  minor: string;
}

/**
 * Counts and sums that are kept, so that reading them costs the same however many operations there are. A commit adds to them what it
 * changes. Retention deletes operations, and not what they added. Every method may throw `StoreUnavailableError`.
 */
export abstract class TotalsStore {
  /**
   * Returns the totals of an account that are not 0, in no particular order.
   * @throws RangeError when the times are not in order: their spans would overlap, and money would count in two of them
   */
  abstract read(account: string, query: TotalsQuery): Promise<Total[]>;
}

/** @throws RangeError when the times of a query are not in order */
export function requireOrder({ boundaries }: TotalsQuery): void {
  const isLate = (time: Date, index: number): boolean => time < (boundaries[index - 1] ?? time);
  if (boundaries.some(isLate)) throw new RangeError('the times of totals must be in order');
}
