import type { AnomalyKind } from './anomaly-kinds.js';

/** Something the platform sent that is unknown, contradictory or suspicious. It changed no payment by itself. @publicApi */
export interface AnomalyExample {
  /** What was seen, as text: `unknown status Waiting`. */
  what: string;
  /** The id of the operation or delivery, or the reference of the transaction; see `anomalySubject`. */
  example: string;
  at: Date;
}

/** All anomalies of one kind: there are few kinds, however many anomalies there are. @publicApi */
export interface Anomaly {
  kind: AnomalyKind;
  /** Number of occurrences. */
  count: number;
  /** Time of the last occurrence. */
  lastAt: Date;
  /** The last ones, latest first; one that repeats stands there once. */
  examples: readonly AnomalyExample[];
}

/** Examples that are kept of each kind. */
export const MOST_EXAMPLES = 20;

/** In characters. What the platform sent may be long. */
const LONGEST_TEXT = 500;

/** An example as it is kept. */
export function keptExample(what: string, example: string): Omit<AnomalyExample, 'at'> {
  return { what: what.slice(0, LONGEST_TEXT), example: example.slice(0, LONGEST_TEXT) };
}

/** Store of anomalies. Retention deletes a kind that was not seen for a time. Every method may throw `StoreUnavailableError`. */
export abstract class AnomaliesStore {
  /** Adds one to the count of its kind (`anomalyKind`), and keeps it as the newest example. */
  abstract record(account: string, what: string, example: string): Promise<void>;
  abstract list(account: string): Promise<Anomaly[]>;
}
