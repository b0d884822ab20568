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

/** Redacts and deletes old finished rows. Every method may throw `StoreUnavailableError`. */
export abstract class RetentionStore {
  abstract apply(account: string, policy: RetentionPolicy): Promise<RetentionResult>;
}
