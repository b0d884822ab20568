/** Something the platform sent that is unknown, contradictory or suspicious. It changed no payment by itself. @publicApi */
export interface Anomaly {
  /** Kind of the anomaly as text: `unknown status Waiting`. */
  what: string;
  /** Of the last occurrence: the id of the operation or delivery, or the reference of the transaction; see `anomalySubject`. */
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
