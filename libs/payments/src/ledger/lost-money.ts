import type { Operation } from './operation.js';

/** Finds money of requests that a restore of the store has lost. */
export abstract class LostMoney {
  /** What fits an operation that is about to be sent, in words; null when nothing does. */
  abstract fitting(operation: Operation): Promise<string | null>;
}
