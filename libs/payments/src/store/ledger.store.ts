import type { TotalChange } from '../money/total.js';
import type { TransactionChange } from '../money/transaction.js';
import type { Claim, ClaimOutcome } from './claim.js';
import type { NewDelivery } from './deliveries.store.js';
import type { NewEvent } from './new-event.js';
import type { AskedAgain, OperationFields, Via } from './operation.js';

/** One line of an operation's history. @publicApi */
export interface HistoryEntry {
  via: Via;
  /** Kind of the line: `state`, `note`, or `attempt` for a failed attempt to send. */
  what: string;
  /** Text without phone numbers and secrets. */
  detail: string;
}

/** A line of history with its time. @publicApi */
export interface StoredHistoryEntry extends HistoryEntry {
  at: Date;
}

/**
 * One change of the ledger: an atomic commit of the state, its proof and its events.
 */
export interface LedgerChange {
  account: string;
  operation?: {
    id: string;
    /** The version that the decision was made on. The store refuses the change when the operation has another version now. */
    version: number;
    set: OperationFields;
    /** Milliseconds until the operation is due again; null: never; undefined: unchanged. */
    dueInMs?: number | null;
    /** Milliseconds from now in which it may be sent; undefined: unchanged. */
    sendWithinMs?: number;
    /** The store checks this again, as if the operation was recorded now, and refuses the change when something refuses it. */
    asks?: AskedAgain;
    /** References of transfers that it makes its own. The store refuses the change when one belongs to another operation. */
    transfers?: readonly string[];
    /** The changes that it adds to the kept totals. */
    totals?: readonly TotalChange[];
  };
  transaction?: TransactionChange;
  /** The store does not write an event whose id it has. */
  events: readonly NewEvent[];
  /** Lines for the operation's history. */
  history: readonly HistoryEntry[];
  /** The claimed delivery that it comes from. The commit ends the claim, if it is still valid. */
  finishes?: { claim: Claim; outcome: Exclude<ClaimOutcome, { kind: 'retry' }> };
  /** The listener calls of its events that this process makes itself. */
  claim?: CallClaim;
}

/** Claims listener calls in the commit that writes them, so that no process has to look for them. */
export interface CallClaim {
  listeners: readonly string[];
  /** Other processes leave the calls alone for so many milliseconds. */
  leaseMs: number;
}

/** Returns all that a change adds to the kept totals. */
export function totalsOf({ operation, transaction }: LedgerChange): readonly TotalChange[] {
  return [...(operation?.totals ?? []), ...(transaction?.totals ?? [])];
}

/** A listener call that a commit has written. */
export interface WrittenCall {
  id: string;
  listener: string;
  eventId: string;
  /**
   * The token of the claim. Null when the commit did not claim the call: an earlier call of the listener and stream waits, or the
   * listener was not named.
   */
  token: string | null;
}

/** A change that was made. */
export interface Committed {
  /** The time of the commit, by the store's clock. It is the operation's `updatedAt`. */
  at: Date;
  /** The calls of its events. */
  calls: readonly WrittenCall[];
}

/** Says what became of a delivery and of the change that it proves. */
export type CommitWithDelivery =
  | (Committed & { kind: 'committed' })
  /** The change was refused. The delivery is stored as pending and claimed with this token. */
  | { kind: 'stored'; token: string; receivedAt: Date }
  /** A delivery with the same key exists. Nothing was written. */
  | { kind: 'duplicate' };

/** Commits changes of operations, transactions and events. Every method may throw `StoreUnavailableError`. */
export abstract class LedgerStore {
  /**
   * Commits a change by compare-and-set. Resolves with null when it is refused. The store refuses a change when its decision was
   * made on an older version, when another operation has its platform id, or when the operation would become `requested` after
   * its time to be sent.
   *
   * The change to `requested` is durable whatever the database's default is.
   */
  abstract commit(change: LedgerChange): Promise<Committed | null>;

  /**
   * Stores a delivery durably, and commits the change that it proves, in one commit. When the change is refused, the delivery is stored as
   * pending, with a lease for the caller.
   */
  abstract commitWithDelivery(
    change: LedgerChange,
    delivery: NewDelivery,
    leaseMs: number,
  ): Promise<CommitWithDelivery>;

  /**
   * Returns the `amount` of an event that was written, also after retention has redacted it. Null when it has none, or when there is no such event.
   */
  abstract amountOf(account: string, eventId: string): Promise<string | null>;
}

/** The listener calls that this process makes. `listeners/` implements it, because it has the listeners. */
export abstract class LocalCalls {
  /** Returns the calls of these events that this process would make at once; undefined for none. */
  abstract claimOf(account: string, events: readonly NewEvent[]): CallClaim | undefined;
  /**
   * Makes the calls that a commit claimed, and looks for the others.
   * @param calls none when the commit failed
   * @param claim what `claimOf` returned
   */
  abstract written(
    account: string,
    events: readonly NewEvent[],
    calls: readonly WrittenCall[],
    claim: CallClaim | undefined,
  ): void;
}
