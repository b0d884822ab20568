import type { NewEvent, PaymentsEventName } from './ledger.events.js';
import type { PaymentChanges, PaymentRecord, Via } from './payment.js';
import type { BareRequest } from '../resources/bare-requests.js';
import type {
  DeliveryFilter,
  DeliverySummary,
  Page,
  PageRequest,
  PaymentFilter,
  Statistics,
  StoredEvent,
  StoreViews,
  TransactionFilter,
} from './store.views.js';
import type { TransactionRecord, TransactionSum } from './till-transaction.js';

/**
 * The host's own database transaction, as far as a store needs it. `pg` clients have this shape; the guide shows the
 * one line that gives it for TypeORM, Kysely and Drizzle.
 * @publicApi
 */
export interface HostTransaction {
  query(text: string, values: unknown[]): Promise<unknown>;
}

/** A payment to be recorded. */
export type NewPayment = Pick<
  PaymentRecord,
  | 'id'
  | 'account'
  | 'idempotencyKey'
  | 'channel'
  | 'tillNumber'
  | 'tills'
  | 'subscriber'
  | 'amount'
  | 'amountMinor'
  | 'metadata'
  | 'allowParallel'
  | 'inBackground'
>;

export type RecordResult =
  | { kind: 'recorded'; payment: PaymentRecord }
  /** The idempotency key is taken: by the same request or another, which the caller compares. */
  | { kind: 'existing'; payment: PaymentRecord }
  /** A payment of the same till, phone and amount is in flight, see `isInFlight`. */
  | { kind: 'in_flight'; paymentId: string };

/** One line of a payment's timeline. */
export interface HistoryEntry {
  via: Via;
  /** What happened, as a short stable word: `state`, `evidence`, `note`. */
  what: string;
  /** In words, without phone numbers or secrets. */
  detail: string;
}

export interface StoredHistoryEntry extends HistoryEntry {
  at: Date;
}

/**
 * One change of the ledger. It happens whole or not at all: the state, what proves it and the events that tell it are
 * one commit.
 */
export interface LedgerChange {
  account: string;
  payment?: {
    id: string;
    /** The version that was judged. Another one now means that somebody else was faster. */
    version: number;
    set: PaymentChanges;
    /** Milliseconds until the payment is looked at again; null: never. Left out: as it was. */
    dueInMs?: number | null;
  };
  transaction?: {
    reference: string;
    /** The version that was judged; null when there was none. */
    version: number | null;
    /** All of them, those that did not change included. */
    sums: readonly TransactionSum[];
  };
  /** An event whose id is already there is not written again. */
  events: readonly NewEvent[];
  /** Written to the payment's timeline. */
  history: readonly HistoryEntry[];
}

export type { BareRequest };

/** Which payments may own money of an amount. */
export interface CandidateQuery {
  currency: string;
  amountMinor: string;
  /** Hash of the payer; null when the money does not show who paid: then of any phone. */
  payerHash: string | null;
  /** The time in which they were sent, by the platform's clock, both ends included. */
  sentFrom: Date;
  sentTo: Date;
}

/** A search finds no more of one kind: who finds so many does not know whether there are others. */
export const MOST_FOUND = 100;

/** Which money may belong to a payment. */
export interface UntiedQuery {
  currency: string;
  amountMinor: string;
  /** Hash of the payment's phone: money of another readable payer is not its own. */
  payerHash: string;
  /** When it originated, both ends included. */
  from: Date;
  to: Date;
}

/** By the route that it was posted to. Each kind waits in a line of its own. */
export type DeliveryKind = 'webhook' | 'callback';

/** A POST of the platform, verified, as it is kept. */
export interface NewDelivery {
  id: string;
  account: string;
  /** sha256 of the raw bytes and of what vouches for them, hex: the same delivery again is not stored twice. */
  key: string;
  kind: DeliveryKind;
  /** For a callback: the resource and id of the URL it was posted to. */
  resource: string | null;
  resourceId: string | null;
  /** What vouches for it: a signature over its bytes, or only the URL it was posted to. */
  verifiedBy: 'signature' | 'url';
  /** The raw bytes; MACs of callback URLs in them are sealed. */
  body: Buffer;
}

export type DeliveryState = 'pending' | 'done' | 'unrecognised';

export interface DeliveryRecord extends NewDelivery {
  state: DeliveryState;
  /** Claims so far, this one included. */
  attempts: number;
  /** How many more times the same bytes came. */
  redeliveries: number;
  receivedAt: Date;
  /** Milliseconds since it was received, by the store's clock. */
  ageMs: number;
  lastError: string | null;
}

/** A listener whose events wait, and which no process seems to have. @publicApi */
export interface UnheardListener {
  listener: string;
  /** How many of its calls wait; 1,000 at most. */
  calls: number;
  /** How long the oldest has been due, in milliseconds. */
  waitingMs: number;
}

/** How work on a claim ended. */
export type ClaimOutcome =
  | { kind: 'done'; note?: string }
  | { kind: 'retry'; inMs: number; error: string }
  /** No further attempt by itself: a dead letter of a listener, a delivery that nobody understands. */
  | { kind: 'given_up'; error: string };

/** A claim on one piece of work. It is good while its lease is, and only for who holds it. */
export interface Claim {
  id: string;
  account: string;
  /** Differs for each claim of the same work: an acknowledgement with an old one changes nothing. */
  token: string;
}

export type ClaimedDelivery = DeliveryRecord & Claim;

export type ListenerCallState = 'pending' | 'done' | 'dead';

/** One event for one listener. */
export interface ListenerCall extends Claim {
  listener: string;
  eventId: string;
  event: PaymentsEventName;
  stream: string;
  payload: unknown;
  /** Claims so far, this one included. */
  attempts: number;
}

export interface DeadLetter {
  id: string;
  eventId: string;
  event: PaymentsEventName;
  listener: string;
  attempts: number;
  lastError: string;
  diedAt: Date;
}

/** How far sweeps have read. */
export interface SweepProgress {
  /** Sweeps fire events only for what originated after this. */
  sweepFrom: Date;
  /** Everything before this was read whole. */
  watermark: Date;
  /** When the last 48 hours were last covered again; null: never. */
  recoveredAt: Date | null;
}

export interface PurgeResult {
  /** Records whose personal data was removed. */
  redacted: number;
  /** Records removed altogether. */
  removed: number;
}

/**
 * Where payments are kept: the contract of every store, and its injection token. One contract suite proves each.
 *
 * All durations are milliseconds and all times are the store's: replicas with wrong clocks agree through it. Every method
 * may throw `StoreUnavailableError`; nothing has changed then.
 * @publicApi
 */
export abstract class PaymentsStore implements StoreViews {
  /** Whether other processes work on the same payments: waiting then looks at the store, not only at this process. */
  abstract readonly shared: boolean;

  /** Makes the store ready. Called before anything else, by every account that uses it; only the first call works. */
  abstract init(): Promise<void>;

  // Payments

  /**
   * Records a payment as `created`, unless its key or the same customer and amount is taken. A payment of the background
   * is due at once, so that it is sent after the host's commit; any other when it can no longer be sent.
   *
   * It is durable when this resolves, whatever the database's default. A store that could not record at once must not
   * record seconds later: it gives up, since its caller has.
   */
  abstract recordPayment(
    payment: NewPayment,
    options: { sendBeforeMs: number; transaction?: HostTransaction },
  ): Promise<RecordResult>;
  abstract findPayment(account: string, id: string): Promise<PaymentRecord | null>;
  abstract findPaymentByIdempotencyKey(account: string, key: string): Promise<PaymentRecord | null>;
  abstract findPaymentByPlatformId(
    account: string,
    platformId: string,
  ): Promise<PaymentRecord | null>;
  /**
   * Payments that were sent in a time and are open (`requested`, `pending`, `unknown`), in review or failed: who could own
   * money of then. Oldest first, `MOST_FOUND` at most; those of one phone are few.
   */
  abstract findCandidates(account: string, query: CandidateQuery): Promise<PaymentRecord[]>;
  abstract paymentHistory(account: string, id: string): Promise<StoredHistoryEntry[]>;

  // Changes

  /**
   * Makes a change if nothing it was judged on has changed since. Resolves with the time of the change, the payment's
   * `updatedAt`; with null when something has changed, or a key is taken, or a payment would become `requested` after its
   * time to be sent.
   *
   * When a payment settles, is denied or is decided, payments without a platform id of the same phone and amount that are
   * `unknown` or in review become due: a rival has left. Becoming `requested` is durable whatever the database's default.
   */
  abstract commit(change: LedgerChange): Promise<Date | null>;

  // Transactions

  /** Everything under one reference. */
  abstract findTransaction(account: string, reference: string): Promise<TransactionRecord | null>;
  /**
   * Records with a sum that was received, fits the query and belongs to no payment, in order of origin. A sum whose payer
   * is unreadable fits every phone. `MOST_FOUND` at most of those that show the payer, of those that show none, and of
   * those with several sums: what anybody may have paid does not hide what this payer did.
   */
  abstract findUntiedTransactions(
    account: string,
    query: UntiedQuery,
  ): Promise<TransactionRecord[]>;

  // Overdue payments

  /**
   * Payments that are due, each for one claimer only: who takes them has `leaseMs` until they are due again, `sendLeaseMs`
   * if they are `created`. `followed`: those in review or failed instead of those that are not settled.
   */
  abstract claimDuePayments(
    account: string,
    claim: { followed: boolean; limit: number; leaseMs: number; sendLeaseMs: number },
  ): Promise<PaymentRecord[]>;
  /** Sets when a payment is looked at next (null: never), and how often it was; nothing if it has changed since. */
  abstract schedulePayment(
    payment: Pick<PaymentRecord, 'account' | 'id' | 'version'>,
    next: { inMs: number | null; checks?: number },
  ): Promise<void>;
  /**
   * Makes payments due for a read now, because of some money or of a delivery that was refused; one that is being looked at
   * is looked at once more. The same cause again within `againAfterMs` changes nothing. Those that are `created`, `succeeded` or `reversed` stay as they are.
   */
  abstract hastenPayments(
    account: string,
    ids: readonly string[],
    reason: { cause: string; againAfterMs: number },
  ): Promise<void>;

  // Requests of the host itself

  /**
   * Keeps a request for 31 days, as long as money may still be matched. Written again, it only gains: a platform id that is
   * known stays, and so does `money: null`, for whoever writes may not know what was learnt meanwhile.
   */
  abstract keepBareRequest(account: string, request: BareRequest): Promise<void>;
  abstract findBareRequest(
    account: string,
    resource: BareRequest['resource'],
    id: string,
  ): Promise<BareRequest | null>;
  /** Requests that may own money, see `findCandidates`. 10 at most. */
  abstract findBareCandidates(account: string, query: CandidateQuery): Promise<BareRequest[]>;

  // Deliveries

  /**
   * Keeps a delivery durably, then resolves. `duplicate` when one with its key came before: that one is due again if nobody
   * understood it.
   */
  abstract storeDelivery(delivery: NewDelivery): Promise<{ duplicate: boolean }>;
  abstract claimDeliveries(
    account: string,
    kind: DeliveryKind,
    limit: number,
    leaseMs: number,
  ): Promise<ClaimedDelivery[]>;
  /** Ends a claim; false when the lease was lost, and then nothing has changed. */
  abstract finishDelivery(claim: Claim, outcome: ClaimOutcome): Promise<boolean>;
  abstract findDelivery(account: string, id: string): Promise<DeliveryRecord | null>;
  /** Makes an unrecognised or finished delivery pending again; false when there is none. */
  abstract replayDelivery(account: string, id: string): Promise<boolean>;

  // Events

  /** Makes listeners known: from now on each event of theirs is kept for them until they have handled it. */
  abstract registerListeners(
    account: string,
    listeners: readonly { event: PaymentsEventName; listener: string }[],
  ): Promise<void>;
  /** Keeps no more events for a listener, and drops its calls that wait or are dead; resolves with how many. */
  abstract forgetListener(account: string, listener: string): Promise<number>;
  /**
   * Events for these listeners, each for one claimer only, those of one stream in order: no call is claimed while an
   * earlier one of the same stream and listener is neither done nor dead.
   * @param mostOfEach calls of each listener, in the same order; as many as `limit` unless given
   */
  abstract claimCalls(
    account: string,
    listeners: readonly string[],
    limit: number,
    leaseMs: number,
    mostOfEach?: readonly number[],
  ): Promise<ListenerCall[]>;
  abstract finishCall(claim: Claim, outcome: ClaimOutcome): Promise<boolean>;
  /** Prolongs claims that are still being worked on; ids of those whose lease was lost. */
  abstract renewCalls(claims: readonly Claim[], leaseMs: number): Promise<string[]>;
  abstract deadLetters(account: string, limit: number): Promise<DeadLetter[]>;
  /** Makes dead calls pending again, one by its id or all; how many. */
  abstract replayDeadLetters(account: string, id?: string): Promise<number>;

  /**
   * Listeners whose calls nobody takes: the first of some stream could be claimed for so long, and none is under a lease.
   * Their calls are counted to 1,000.
   */
  abstract unheardListeners(account: string, dueForMs: number): Promise<UnheardListener[]>;

  // Sweeps

  /** Milliseconds since this was first asked for the account, by any process. */
  abstract msSinceFirstStart(account: string): Promise<number>;
  /** Progress of sweeps; the first call ever fixes `sweepFrom` and the watermark at `start`. */
  abstract sweepProgress(account: string, start: Date): Promise<SweepProgress>;
  /** The right to sweep, for one process at a time. */
  abstract claimSweep(account: string, owner: string, leaseMs: number): Promise<boolean>;
  abstract saveSweep(
    account: string,
    owner: string,
    progress: Pick<SweepProgress, 'watermark' | 'recoveredAt'>,
  ): Promise<boolean>;

  // Shared token: opaque, encrypted bytes

  abstract readToken(account: string): Promise<{ sealed: Buffer; expiresInMs: number } | null>;
  abstract claimTokenRenewal(account: string, owner: string, leaseMs: number): Promise<boolean>;
  /** Keeps a token and ends the claim of its owner. */
  abstract saveToken(
    account: string,
    owner: string,
    sealed: Buffer,
    expiresInMs: number,
  ): Promise<void>;
  abstract releaseTokenRenewal(account: string, owner: string): Promise<void>;
  abstract clearToken(account: string): Promise<void>;

  // What the platform sent that we did not know

  /** Counts one sighting of something odd: an unknown status, a difference, news after the end. */
  abstract count(account: string, what: string, example: string): Promise<void>;
  abstract counts(
    account: string,
  ): Promise<{ what: string; example: string; count: number; lastAt: Date }[]>;

  // Retention

  /** Forgets at most `limit` records of each kind that are finished and old enough. */
  abstract purge(
    account: string,
    policy: { personalDataMs: number; dedupeForMs: number; limit: number },
  ): Promise<PurgeResult>;

  // Views, see `StoreViews`

  abstract listPayments(
    account: string,
    filter: PaymentFilter,
    page: PageRequest,
  ): Promise<Page<PaymentRecord>>;
  abstract listTransactions(
    account: string,
    filter: TransactionFilter,
    page: PageRequest,
  ): Promise<Page<TransactionRecord>>;
  abstract listDeliveries(
    account: string,
    filter: DeliveryFilter,
    page: PageRequest,
  ): Promise<Page<DeliverySummary>>;
  abstract listEvents(account: string, stream: string): Promise<StoredEvent[]>;
  abstract statistics(account: string, window: { from: Date; to: Date }): Promise<Statistics>;
}
