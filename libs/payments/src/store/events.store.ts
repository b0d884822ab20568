import type { Via } from './operation.js';
import type { AccountScope, Claim, ClaimOutcome } from './claim.js';
import type { HostDatabase, HostTransaction } from './host-transaction.js';
import type { Page, PageRequest } from './transactions.store.js';

/** State of a listener call; `dead` is a dead letter. */
export type ListenerCallState = 'pending' | 'done' | 'dead';

/** One claimed call of one listener for one event. */
export interface ListenerCall extends Claim {
  listener: string;
  eventId: string;
  event: string;
  stream: string;
  payload: unknown;
  /** Claims that have ended with an outcome, and this one. */
  attempts: number;
  /** The span in which its event was committed. Absent when there was none. */
  traceparent?: string;
}

/** A listener call that is not repeated any more. @publicApi */
export interface DeadLetter {
  /** Id of the call, for `replayDeadLetters(id)`. */
  id: string;
  eventId: string;
  event: string;
  /** Id of the listener: `Class.method`, or the `id` of its decorator. */
  listener: string;
  /** The stream of its event: the id of an operation, or the key of a transaction. */
  stream: string;
  /** The time when its event was written. */
  at: Date;
  /** The number of times that the call failed. A call whose process died before it ended is not counted. */
  attempts: number;
  /** Error text of the last attempt. */
  lastError: string;
  /** The time when the last attempt failed. */
  diedAt: Date;
}

/** A dead letter that became a call again. @publicApi */
export type ReplayedLetter = Pick<DeadLetter, 'id' | 'listener' | 'event' | 'eventId' | 'stream'>;

/** Selects the dead letters of a list: each must fit all of it. @publicApi */
export interface DeadLetterFilter {
  /** Id of the listener. */
  listener?: string;
  /** Earliest time of the last attempt, included. */
  from?: Date;
  /** Latest time of the last attempt, excluded. */
  to?: Date;
}

/** A listener that has waiting calls and that no process seems to have. @publicApi */
export interface MissingListener {
  /** Id of the listener: `Class.method`, or the `id` of its decorator. */
  listener: string;
  /** Number of its waiting calls, counted to 1,000. */
  calls: number;
  /** Milliseconds since the oldest call is due. */
  waitingMs: number;
}

/** An event with its listener calls: one for each listener that was registered when the event was written. @publicApi */
export interface StoredEvent {
  id: string;
  name: string;
  stream: string;
  at: Date;
  via: Via;
  calls: {
    id: string;
    listener: string;
    state: ListenerCallState;
    attempts: number;
    /** Error text of the last failed attempt; null when none failed, or when the call is done. */
    lastError: string | null;
    /**
     * The time when the call succeeded or became a dead letter. Null while it waits, and when it succeeded at its first attempt within
     * `AT_ONCE_MS`: of that no time is kept.
     */
    endedAt: Date | null;
    /** The time when it may be called next; while it runs, the end of its lease; null when it has ended. */
    dueAt: Date | null;
  }[];
}

/** A listener that the store keeps events for. */
export interface RegisteredListener {
  account: string;
  event: string;
  listener: string;
  /** The start of the process that registered it last: listeners with the same one are of one application. */
  start: string;
}

/** A call that succeeds at its first attempt within this time leaves nothing but the name of its listener in the event. */
export const AT_ONCE_MS = 60_000;

/** An event without its listener calls. @publicApi */
export type EventSummary = Omit<StoredEvent, 'calls'>;

/** The calls of one account that a process can make now. */
export interface WantedCalls {
  account: string;
  /** Maximum number of calls of the account. */
  most: number;
  /** Its listeners in this process, each with its own maximum. */
  listeners: readonly { id: string; most: number }[];
}

/** Returns the class of a listener: what stands before the last dot of its id. Null for an id without a dot. */
export function classOf(listener: string): string | null {
  const end = listener.lastIndexOf('.');
  return end < 0 ? null : listener.slice(0, end);
}

/** Returns the method of a listener: what stands after the last dot of its id. */
export function methodOf(listener: string): string {
  return listener.slice(listener.lastIndexOf('.') + 1);
}

/**
 * Returns the class of a listener, if the event has an outcome: everything but a review. A call waits for the earlier calls of its class for another
 * outcome of the same stream: nothing is reversed for the host that has not succeeded before.
 */
export function outcomeClassOf(event: string, listener: string): string | null {
  return event.endsWith('.needs_review') ? null : classOf(listener);
}

/** Store of events and listener calls. Every method may throw `StoreUnavailableError`. */
export abstract class EventsStore {
  /**
   * Registers listeners: from now on the store keeps each of their events until the listener call is completed.
   * @param start the same for all that a process registers, and for no other process
   */
  abstract registerListeners(
    account: string,
    listeners: readonly { event: string; listener: string }[],
    start: string,
  ): Promise<void>;
  /** Returns the registered listeners whose ids name a class (see `classOf`): others are never those of renamed classes. */
  abstract registeredListeners(accounts: AccountScope): Promise<RegisteredListener[]>;
  /** Keeps no more events for a listener, and deletes its waiting and dead calls. Resolves with the number of deleted calls. */
  abstract deleteListener(account: string, listener: string): Promise<number>;
  /**
   * Claims listener calls, each for one claimer. Calls of one stream and listener come in order: a call is claimed only when all
   * earlier ones are done or dead. The calls of one class come in order too, where events have outcomes: what undoes waits for what
   * it undoes (see `outcomeClassOf`).
   */
  abstract claimCalls(
    wanted: readonly WantedCalls[],
    limit: number,
    leaseMs: number,
  ): Promise<ListenerCall[]>;
  /**
   * Ends a claim. False, without any change, when the lease was lost.
   * @param isHeld true when a transaction of the host may still hold the call: then `StoreUnavailableError` says that it does
   */
  abstract finishCall(claim: Claim, outcome: ClaimOutcome, isHeld?: boolean): Promise<boolean>;
  /**
   * Makes sure that transactions of the host are in the database of this store.
   * @throws an error with the cure when they are not, or when this store has no database
   */
  abstract checkTransactions(database: HostDatabase): Promise<void>;
  /**
   * Ends a claim as done in a transaction of the host, and runs work in it. Both are committed together, or neither is. False, without
   * running the work, when the lease was lost. While it runs, no claim takes the call, and `renewCalls` must leave it out.
   * @param limitMs for libraries that limit the time of a transaction
   */
  abstract finishCallIn(
    database: HostDatabase,
    claim: Claim,
    work: (transaction: HostTransaction) => Promise<void>,
    limitMs: number,
  ): Promise<boolean>;
  /**
   * Renews the leases of running calls. Resolves with the ids of calls whose lease was lost.
   * @param leaseMs 0 ends them without an outcome: the next claim takes over their attempt
   */
  abstract renewCalls(claims: readonly Claim[], leaseMs: number): Promise<string[]>;
  /** Returns dead letters, oldest first. */
  abstract listDeadLetters(
    account: string,
    filter: DeadLetterFilter,
    page: PageRequest,
  ): Promise<Page<DeadLetter>>;
  /** Makes dead calls pending again: the one with the id, or all. Resolves with what they were, oldest first. */
  abstract replayDeadLetters(account: string, id?: string): Promise<ReplayedLetter[]>;
  /**
   * Listeners whose calls no process claims: none of their calls has a lease, and the first call of some stream has been due for
   * `dueForMs` milliseconds. Calls are counted to 1,000.
   */
  abstract missingListeners(account: string, dueForMs: number): Promise<MissingListener[]>;
  /** Returns the events of one stream in order, with all their listener calls, also completed ones. */
  abstract list(account: string, stream: string): Promise<StoredEvent[]>;
  /** Returns the events of an account, newest first. Those that retention has redacted may be left out. */
  abstract listRecent(account: string, page: PageRequest): Promise<Page<EventSummary>>;
}
