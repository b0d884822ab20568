import type { FailureReason } from '../money/known-failures.js';
import type { Metadata } from '../money/values.js';
import type { StoredHistoryEntry } from './ledger.store.js';
import type {
  AskedAgain,
  NewOperation,
  Operation,
  OperationState,
  ReviewCause,
  SendingMark,
  Via,
} from './operation.js';
import type { HostTransaction } from './host-transaction.js';
import type { Pause } from './pauses.store.js';
import type { Page, PageRequest } from './transactions.store.js';

export type RecordResult<O extends Operation = Operation> =
  | { kind: 'recorded'; operation: O }
  /** The idempotency key exists, with the same request or with another one: the caller compares them. */
  | { kind: 'existing'; operation: O }
  | RefusedByGuard
  /** Sending is paused: nothing was recorded. */
  | { kind: 'paused'; pause: Pause }
  /** With this operation, one destination gets `approveFromMinor` in 24 hours: nothing was recorded, and it can be recorded with `isHeld`. */
  | { kind: 'needs_approval' }
  /** With this operation, the operations of the last 24 hours are above `dailyLimitMinor`. */
  | { kind: 'over_limit'; usedMinor: string };

/** An operation that refuses another one, with what a person needs to decide. @publicApi */
export interface OperationInTheWay {
  readonly id: string;
  /** `payment`, `payout`, `refund` or `payment_link`. */
  readonly kind: string;
  readonly idempotencyKey: string;
  /** Names what is owed, as its request said; null when it said nothing. */
  readonly order: string | null;
  /** The host's own data; null when there is none, and after retention has redacted it. */
  readonly metadata: Metadata | null;
  readonly state: OperationState;
  /** The time when it was recorded. */
  readonly since: Date;
}

/** Says which operations refuse one whose guard has a key in common with theirs, see `refusalOf`. */
export interface RefusedByGuard {
  /** `in_flight`: they have no outcome. `already_paid`: they were paid. */
  kind: 'in_flight' | 'already_paid';
  /** All of these operations, oldest first, at most `MOST_IN_THE_WAY`. */
  operations: readonly OperationInTheWay[];
}

/** Most operations that a refusal names. */
export const MOST_IN_THE_WAY = 20;

/** A request that other operations or a limit refuse. */
export type RefusedRecord = RefusedByGuard | Extract<RecordResult, { kind: 'over_limit' }>;

/** Says how an operation is recorded. */
export interface RecordOptions {
  /** Milliseconds in which it may be sent. */
  sendBeforeMs: number;
  /** Absent: it is recorded as `created`, and becomes `requested` later. */
  mark?: SendingMark | undefined;
  /** True when it waits for approval. */
  isHeld?: boolean;
  /** The open transaction of the host that records it. */
  transaction?: HostTransaction;
}

/** Finds operations that may own a transaction. */
export interface CandidateQuery {
  currency: string;
  amountMinor: string;
  /** `payerHash` of the transaction; null when it shows no payer: then every payer fits. */
  payerHash: string | null;
  /** Earliest time of sending, included, by the platform's clock. */
  sentFrom: Date;
  /** Latest time of sending, included, by the platform's clock. */
  sentTo: Date;
  /** Earliest time of sending, included, of operations that anybody may pay: they stay open for days. */
  anybodySentFrom: Date;
}

/** Finds payments whose id nobody knows. */
export interface UnmatchedQuery {
  /** Earliest time of sending, included, by the platform's clock. */
  sentFrom: Date;
  /** Latest time of sending, included. */
  sentTo: Date;
  /** The last one that was found before; absent: from the first. */
  after?: { sentAt: Date; id: string };
  limit: number;
}

/** Selects operations for a list, newest first. @publicApi */
export interface OperationFilter {
  /** `payment`, `payout`, `refund` or `payment_link`; all kinds when absent. */
  kind?: string;
  /** Our ids. */
  ids?: readonly string[];
  states?: readonly OperationState[];
  /** Only what waits for a person's decision: in review, or paid while evidence contradicts that. */
  inReview?: true;
  /** Only those that are in review for one of these causes. */
  causes?: readonly ReviewCause[];
  /** Only those that passed another operation in their way (`besides`). */
  passed?: true;
  /** Only those that failed for one of these reasons. */
  reasons?: readonly FailureReason[];
  /** The source of the evidence that settled it. */
  sources?: readonly Via[];
  /** A number of its till. */
  tillNumber?: string;
  /** Phone number in international form with `+`. */
  phoneNumber?: string;
  /** The beginning of the first or last name, or of both in any order. Upper and lower case are equal. */
  name?: string;
  idempotencyKey?: string;
  /** The beginning of the idempotency key. Upper and lower case are equal. */
  keyBeginsWith?: string;
  platformId?: string;
  /** Least amount, as a decimal string in the main unit of any currency. */
  amountFrom?: string;
  /** Greatest amount, included. */
  amountTo?: string;
  /** Reference of the operation's transaction. */
  reference?: string;
  /** Reference of the money that a refund sends back. */
  refundOf?: string;
  /** Earliest time of recording, included. */
  from?: Date;
  /** Latest time of recording, excluded. */
  to?: Date;
}

export interface DueClaim {
  /** True claims operations that failed or are in review; false claims those that have not settled. */
  followed: boolean;
  limit: number;
  leaseMs: number;
  /** Lease of a `created` operation: shorter than the time in which it may be sent. */
  sendLeaseMs: number;
}

/**
 * Store of operations. All durations are milliseconds. All times come from the store's clock, so that replicas with wrong clocks
 * agree. Every method may throw `StoreUnavailableError`; then it has changed nothing.
 */
export abstract class OperationsStore<
  O extends Operation = Operation,
  New extends NewOperation = NewOperation,
> {
  /** True when other processes change the same operations: then a caller that waits for a change must poll the store. */
  abstract readonly shared: boolean;

  /**
   * Records an operation as `created`, or with a mark as `requested`, unless its key exists, the same till, payer and amount is in flight, its
   * guard refuses it, or its daily limit is reached. A store may leave the mark out, so that others need not wait for this recording. An
   * operation that the background sends is due at once, so that it is sent after the host's commit. Any other is due when its time to be sent
   * is over. With `isHeld` it is not due, until a person approves it. While sending is paused, only an existing operation is returned.
   *
   * The record is durable when this resolves, whatever the database's default is. A store that cannot record in time must not
   * record later, because its caller has given up.
   */
  abstract record(operation: New, options: RecordOptions): Promise<RecordResult<O>>;

  /**
   * Returns what would refuse an operation that is recorded and waits for approval, as things are now; null when nothing does. It changes
   * nothing. A change with `asks` is refused for the same, under the locks of the guard.
   */
  abstract refusalOf(asked: AskedAgain): Promise<RefusedRecord | null>;

  /** Returns the operations with these ids, without those that do not exist. */
  abstract findMany(account: string, ids: readonly string[]): Promise<ReadonlyMap<string, O>>;
  /** Idempotency keys are unique within an account and a kind. */
  abstract findByIdempotencyKey(account: string, kind: string, key: string): Promise<O | null>;
  abstract findByPlatformId(account: string, kind: string, platformId: string): Promise<O | null>;

  /** Returns the ids of the operations that these transfers of the platform belong to, by reference; without those that belong to none. */
  abstract transferOwners(
    account: string,
    references: readonly string[],
  ): Promise<ReadonlyMap<string, string>>;

  /**
   * Operations that expect money at a till, were sent in the given time and are open (`requested`, `pending`, `unknown`), in review
   * or failed: each of them may own a transaction of that time. Oldest first, `MOST_FOUND` at most.
   */
  abstract findCandidates(account: string, query: CandidateQuery): Promise<O[]>;

  /** Returns payments without a platform id that are `unknown` or in review and were sent in the given time, by the time of sending and id. */
  abstract findUnmatched(account: string, query: UnmatchedQuery): Promise<O[]>;
  abstract history(account: string, id: string): Promise<StoredHistoryEntry[]>;
  /** Returns when an operation is due next, to be read or sent; null: never, or there is none. */
  abstract dueAt(account: string, id: string): Promise<Date | null>;
  abstract list(account: string, filter: OperationFilter, page: PageRequest): Promise<Page<O>>;

  /**
   * Claims due operations of these accounts, each for one claimer; the one that has been due longest comes first. A claim ends with
   * its lease, or when the operation is scheduled or changed.
   */
  abstract claimDue(accounts: readonly string[], claim: DueClaim): Promise<O[]>;

  /**
   * Sets when an operation is due next (null: never), and how often it was read. It does nothing if the operation has changed.
   */
  abstract schedule(
    operation: Pick<Operation, 'account' | 'id' | 'version'>,
    next: { inMs: number | null; checks?: number },
  ): Promise<void>;

  /**
   * Makes operations due for a read now, because a transaction may be theirs or a delivery was refused. A claimed operation is
   * due once more after its claim. The same cause within `againAfterMs` has no effect. Operations that are `created`,
   * `succeeded` or `reversed` do not change.
   */
  abstract makeDue(
    account: string,
    ids: readonly string[],
    reason: { cause: string; againAfterMs: number },
  ): Promise<void>;

  async find(account: string, id: string): Promise<O | null> {
    return (await this.findMany(account, [id])).get(id) ?? null;
  }
}
