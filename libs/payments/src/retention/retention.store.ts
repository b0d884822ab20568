/** When personal data is redacted, and when rows are deleted. */
export interface RetentionPolicy {
  /** Milliseconds after which the personal data of finished rows is redacted. */
  personalDataMs: number;
  /** Milliseconds after which finished rows are deleted. */
  dedupeForMs: number;
  /** Maximum number of rows of each kind in one batch. */
  limit: number;
}

/** Result of one batch. */
export interface RetentionResult {
  /** Number of redacted rows. */
  redacted: number;
  /** Number of deleted rows. */
  deleted: number;
}

/** A customer, and a time in which rows are looked for that mention the customer. */
export interface PersonIn {
  /** The digits of the phone number. */
  digits: string;
  /** Its `phoneHash`. */
  hash: string;
  /** Earliest time, included. */
  from: Date;
  /** Latest time, excluded. */
  to: Date;
}

/** A row that mentions a customer. @publicApi */
export interface PersonalRecord {
  kind: 'operation' | 'transaction' | 'delivery' | 'event';
  /** Id of the row; of a transaction its reference. */
  id: string;
  /** When it was recorded; of an operation, when it last changed. */
  at: Date;
  /** What is stored, personal data included. */
  data: unknown;
}

/** Redacts and deletes old finished rows, and those of one customer. Every method may throw `StoreUnavailableError`. */
export abstract class RetentionStore {
  abstract apply(account: string, policy: RetentionPolicy): Promise<RetentionResult>;
  /** The earliest time of a row that is not redacted; null when there is none. */
  abstract oldestPersonal(account: string): Promise<Date | null>;
  /** The rows of a time that mention a customer, by number or hash, and are not redacted. */
  abstract findOf(account: string, person: PersonIn): Promise<PersonalRecord[]>;
  /** Redacts those of them that are finished, and deletes the deliveries. Returns how many. */
  abstract redactOf(account: string, person: PersonIn): Promise<number>;
}
