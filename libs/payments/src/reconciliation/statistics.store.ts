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

/** Reads figures for operators. Every method may throw `StoreUnavailableError`. */
export abstract class StatisticsStore {
  abstract read(account: string, window: { from: Date; to: Date }): Promise<Statistics>;
}
