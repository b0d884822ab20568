/** Says when personal data is redacted, and when rows are deleted. */
export interface RetentionPolicy {
  /** Milliseconds after which the personal data of finished rows is redacted. */
  personalDataMs: number;
  /** Milliseconds after which finished rows are deleted. */
  dedupeForMs: number;
  /** Maximum number of rows of each kind in one batch. */
  limit: number;
  /** True when the account was removed: once nothing of it is left, its own row is deleted too. */
  isRemoved?: boolean;
}

export interface RetentionResult {
  /** Number of redacted rows. */
  redacted: number;
  /** Number of deleted rows. */
  deleted: number;
}

/** Says how a customer is recognised. */
export interface Customer {
  /** The digits of the phone number. */
  digits: string;
  /** The number as people write it in its own country: `0700000001`. Absent: only `digits` are looked for. */
  national?: string | null;
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
  /** Our ids, and the platform's, of refunds of the customer's money. The refunds name no customer, but what they say is about this one. */
  refunds: readonly string[];
  /**
   * Ids of the customer's own operations, but for payouts that go to others, too. Deliveries and events of them may name no number, only a
   * name or metadata. Only a redaction has these ids: such rows may be about another person too, and must not be shown to this one.
   */
  own?: readonly string[];
}

/** Returns all ids by which rows are recognised that name no number of the customer. */
export function idsOf({ refunds, own = [] }: PersonIn): readonly string[] {
  return [...refunds, ...own];
}

/** Returns the forms of the number that are looked for in texts. */
export function spellingsOf({ digits, national }: Customer): readonly string[] {
  return national ? [digits, national] : [digits];
}

/** A row that mentions a customer. @publicApi */
export interface PersonalRecord {
  kind: 'operation' | 'transaction' | 'delivery' | 'event' | 'bare_request';
  /** Id of the row; of a transaction its reference. */
  id: string;
  /** The time when it was recorded. */
  at: Date;
  /** The stored data, personal data included. */
  data: unknown;
}

/** Redacts and deletes old finished rows, and those of one customer. Every method may throw `StoreUnavailableError`. */
export abstract class RetentionStore {
  abstract apply(account: string, policy: RetentionPolicy): Promise<RetentionResult>;
  /** Returns the earliest time of a row that is not redacted; null when there is none. */
  abstract oldestPersonal(account: string): Promise<Date | null>;
  /** Returns the ids, ours and the platform's, of refunds that are not redacted, of payments and money that `findOf` finds in that time. */
  abstract refundsOf(account: string, person: PersonIn): Promise<string[]>;
  /**
   * Returns the ids, ours and the platform's, of operations in that time that mention the customer and are not redacted, but for payouts to others.
   */
  abstract ownOf(account: string, person: PersonIn): Promise<string[]>;
  /** Returns the rows of a time that mention a customer, by number or hash, or are about one of the ids, and are not redacted. */
  abstract findOf(account: string, person: PersonIn): Promise<PersonalRecord[]>;
  /**
   * Redacts those of them that are finished, and deletes the deliveries; refunds whatever their time is. Returns how many. In a row about
   * several persons, it redacts only what mentions the customer. A payment stays until its refunds are redacted, and a row with one of the
   * ids stays until its events are: otherwise nothing would say any more whose they are. It deletes examples of anomalies that quote the
   * customer, or are about what was found; they are not counted.
   */
  abstract redactOf(account: string, person: PersonIn): Promise<number>;
}
