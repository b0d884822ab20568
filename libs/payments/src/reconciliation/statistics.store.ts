/** Work of one account that waits now. @publicApi */
export interface Backlog {
  deliveries: number;
  oldestDeliveryMs: number | null;
  calls: number;
  oldestCallMs: number | null;
  deadLetters: number;
  unrecognised: number;
  openPayments: number;
}

/**
 * Where work waits: deliveries that are not processed, listener calls that are not made, dead letters, deliveries that this version does
 * not understand, operations that have not settled (payment links apart, because nobody may pay them for days), and those in review.
 */
export const QUEUES = [
  'deliveries',
  'calls',
  'dead_letters',
  'unrecognised',
  'open',
  'open_links',
  'in_review',
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

/** Reads what waits. Every method may throw `StoreUnavailableError`. */
export abstract class StatisticsStore {
  abstract backlog(account: string): Promise<Backlog>;
  /** All queues of all accounts in which something waits, by one statement: its cost depends on what waits, not on what is kept. */
  abstract queues(): Promise<QueueLength[]>;
}
