import type { OperationState, Via } from '../ledger/operation.js';
import type { FailureReason } from '../values/known-failures.js';

/** Figures for operators. Counts are of operations that were recorded in the window. @publicApi */
export interface Statistics {
  states: { state: OperationState; count: number }[];
  reasons: { reason: FailureReason; count: number }[];
  /** Sources of the final evidence. */
  sources: { via: Via; count: number }[];
  /** Percentiles of the milliseconds from recording to the final state; null when no operation is final. */
  timeToFinalMs: { p50: number; p90: number; p99: number } | null;
  /** Received deliveries of each minute with at least one, oldest minute first. */
  deliveriesPerMinute: { minute: Date; count: number }[];
  /** Waiting work now; it does not depend on the window. */
  backlog: {
    deliveries: number;
    oldestDeliveryMs: number | null;
    calls: number;
    oldestCallMs: number | null;
    deadLetters: number;
    unrecognised: number;
    openPayments: number;
  };
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

/** Reads figures for operators. Every method may throw `StoreUnavailableError`. */
export abstract class StatisticsStore {
  abstract read(account: string, window: { from: Date; to: Date }): Promise<Statistics>;
  /** All queues of all accounts in which something waits, by one statement: its cost depends on what waits, not on what is kept. */
  abstract queues(): Promise<QueueLength[]>;
}
