/** When personal data is redacted, and when rows are deleted. */
export interface RetentionPolicy {
  /** Milliseconds after which the personal data of finished rows is redacted. */
  personalDataMs: number;
  /** Milliseconds after which finished rows are deleted. */
  dedupeForMs: number;
  /** Maximum number of rows of each kind in one batch. */
  limit: number;
  /** Whether the account was removed: once nothing of it is left, its own row goes too. */
  isRemoved?: boolean;
}

/** Result of one batch. */
export interface RetentionResult {
  /** Number of redacted rows. */
  redacted: number;
  /** Number of deleted rows. */
  deleted: number;
}

/** How a customer is recognised. */
export interface Customer {
  /** The digits of the phone number. */
  digits: string;
  /** Its `phoneHash`. */
  hash: string;
  /** Other ids that are of the customer, in deliveries: of refunds of the customer's money. */
  ids?: readonly string[];
}

/** A customer, and a time in which rows are looked for that are about the customer. */
export interface PersonIn extends Customer {
  /** Earliest time, included. */
  from: Date;
  /** Latest time, excluded. */
  to: Date;
  /** Our ids, and the platform's, of refunds of the customer's money. They name no customer, and what they say is about this one. */
  refunds: readonly string[];
}

/** A row that mentions a customer. @publicApi */
export interface PersonalRecord {
  kind: 'operation' | 'transaction' | 'delivery' | 'event';
  /** Id of the row; of a transaction its reference. */
  id: string;
  /** When it was recorded. */
  at: Date;
  /** What is stored, personal data included. */
  data: unknown;
}

/** Redacts and deletes old finished rows, and those of one customer. Every method may throw `StoreUnavailableError`. */
export abstract class RetentionStore {
  abstract apply(account: string, policy: RetentionPolicy): Promise<RetentionResult>;
  /** The earliest time of a row that is not redacted; null when there is none. */
  abstract oldestPersonal(account: string): Promise<Date | null>;
  /** The ids, ours and the platform's, of refunds that are not redacted, of payments and money that `findOf` finds in that time. */
  abstract refundsOf(account: string, person: PersonIn): Promise<string[]>;
  /** The rows of a time that mention a customer, by number or hash, or are about one of the refunds, and are not redacted. */
  abstract findOf(account: string, person: PersonIn): Promise<PersonalRecord[]>;
  /**
   * Redacts those of them that are finished, and deletes the deliveries; refunds whatever their time is. Returns how many. Of a row about
   * several persons only what mentions the customer. A payment stays until its refunds are redacted, and a refund until its events are:
   * otherwise nothing would say any more whose they are.
   */
  abstract redactOf(account: string, person: PersonIn): Promise<number>;
}
