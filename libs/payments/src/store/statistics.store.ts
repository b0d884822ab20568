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
 * Where work waits: deliveries that are not processed, listener calls that are not made, dead letters, deliveries that this version does
 * not understand, operations that have not settled (payment links apart, because nobody may pay them for days), those that wait for a person's
 * decision, and those of the last 24 hours that passed another one in their way.
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

/** What waits in one queue for one account. */
export interface QueueLength {
  account: string;
  queue: QueueName;
  count: number;
  /** Milliseconds since the first of it came, by the store's clock. */
  oldestMs: number;
}

/** An event, a delivery or an operation that came lately. */
export interface RecentChange {
  /** Another one when the delivery came again, or the operation changed. */
  key: string;
  /** The stream of an event, or the id of an operation; null when it is not known. */
  about: string | null;
}

/** Reads what waits. Every method may throw `StoreUnavailableError`. */
export abstract class StatisticsStore {
  abstract backlog(account: string): Promise<Backlog>;
  /**
   * The newest events, deliveries and operations that came in the last `withinMs` milliseconds, at most `limit` of each. Its cost depends on
   * what came in that time, so that it can be called every few seconds.
   */
  abstract recentChanges(account: string, withinMs: number, limit: number): Promise<RecentChange[]>;
  /** All queues of all accounts in which something waits, by one statement: its cost depends on what waits, not on what is kept. */
  abstract queues(): Promise<QueueLength[]>;
}
