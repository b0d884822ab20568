/** Something the platform sent that is unknown, contradictory or suspicious. It changed no payment by itself. @publicApi */
export interface Anomaly {
  /** Kind of the anomaly as text: `unknown status Waiting`. */
  what: string;
  /** Reference, delivery id or payment id of the last occurrence. */
  example: string;
  /** Number of occurrences. */
  count: number;
  /** Time of the last occurrence. */
  lastAt: Date;
}

/** Store of anomalies. Every method may throw `StoreUnavailableError`. */
export abstract class AnomaliesStore {
  /** Adds one to the count of a kind, and keeps the newest example. */
  abstract record(account: string, what: string, example: string): Promise<void>;
  abstract list(account: string): Promise<Anomaly[]>;
}
