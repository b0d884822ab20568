import type { FailureReason } from '../money/known-failures.js';
import type { Amount } from '../money/money.js';
import type { Transaction } from '../money/transaction.js';
import type { Metadata } from '../money/values.js';

/**
 * State of an operation.
 *
 * | state | meaning |
 * |---|---|
 * | `created` | recorded; nothing was sent |
 * | `requested` | committed just before the create is sent |
 * | `pending` | the platform answered with an id; the customer may be prompted |
 * | `unknown` | sent without a usable answer: the customer may be prompted |
 * | `succeeded` | full proof: the money moved |
 * | `partially_succeeded` | full proof: a payout reached some of its destinations, and not the others |
 * | `failed` | the platform said so, or the create was certainly not processed |
 * | `needs_review` | evidence contradicts itself or the request, or there is none in time |
 * | `reversed` | the money moved and went back |
 * @see docs/promises.md#states
 */
export type OperationState =
  | 'created'
  | 'requested'
  | 'pending'
  | 'unknown'
  | 'succeeded'
  | 'partially_succeeded'
  | 'failed'
  | 'needs_review'
  | 'reversed';

/** Source of evidence. `request` is the answer to the create; `review` is a person's decision. @publicApi */
export type Via = 'request' | 'callback' | 'webhook' | 'status' | 'sweep' | 'review';

/** The attempt that sends an operation, and when, by the platform's clock. */
export interface SendingMark {
  readonly sender: string;
  readonly sentAt: Date;
}

/** Names an operation: ids are unique within an account. */
export type OperationKey = Pick<Operation, 'account' | 'id'>;

export function logFieldsOf({ account, id }: OperationKey): {
  account: string;
  operationId: string;
} {
  return { account, operationId: id };
}

/** Every operation shows these facts to a host: a payment, a payout, a refund and a payment link. @publicApi */
export interface OperationFacts<State, Reason = FailureReason> {
  /** Our id, a UUID. */
  readonly id: string;
  /** Name of the account. */
  readonly account: string;
  readonly state: State;
  readonly idempotencyKey: string;
  /** The platform's id; null while it is unknown. */
  readonly platformId: string | null;
  /** The requested amount. */
  readonly amount: Amount;
  /** The host's own data; null when there is none, and after retention has redacted it. */
  readonly metadata: Metadata | null;
  /** Set on `failed`. */
  readonly reason: Reason | null;
  /** The platform's error messages on a failure. */
  readonly errors: readonly string[];
  /** Set on `needs_review`, and after a second transaction. */
  readonly cause: ReviewCause | null;
  /** Explains the cause: both values of a mismatch, or the alias that would join two tills. */
  readonly causeDetail: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/**
 * The fields of every kind of operation. An operation is recorded before it is sent. Its metadata are personal data, which each kind keeps in
 * its own form.
 */
export interface Operation extends Omit<OperationFacts<OperationState>, 'metadata'> {
  /** Name of its `OperationKind`: `payment`, `payout`, `refund` or `payment_link`. */
  readonly kind: string;
  /** Amount in minor units, as text. */
  readonly amountMinor: string;
  /** All numbers of its till when it was recorded; empty when no till is to receive money. Removing an alias later does not change them. */
  readonly tills: readonly string[];
  /** The transaction of the operation; null until it is known. */
  readonly transaction: Transaction | null;
  /** Says what became of money that we sent, in the form of its kind; null until something is known. */
  readonly outcome: unknown;
  /** The person who approved it; null when nobody did. */
  readonly approvedBy: string | null;
  /** The source of the evidence that settled it, the last time; null until it has settled. */
  readonly settledVia: Via | null;
  /** Grows with each change, for compare-and-set. A redaction is a change, too: whoever remembers the persons must read it again. */
  readonly version: number;
  /**
   * True when personal data of it was redacted; for a payout to several destinations, also when it was that of one of them. Nothing that is
   * written of it later names a person.
   */
  readonly redacted: boolean;
  /**
   * True when the background sends it, because the host recorded it in its own database transaction. Any other operation is sent only
   * during the host's call.
   */
  readonly inBackground: boolean;
  /** Ids of the operations in its way that it passes, as its request named them. */
  readonly besides: readonly string[];
  /**
   * Id of the attempt that made it `requested`. An attempt that lost the answer to that commit recognises its own commit by it.
   */
  readonly sender: string | null;
  /** The time when the create was sent, by the platform's clock; null before that. */
  readonly sentAt: Date | null;
  /** The time when a read last said `Failed` without a transaction, by the platform's clock. */
  readonly deniedAt: Date | null;
  /** True when a person decided it. */
  readonly decided: boolean;
  /** Digests of what the platform said before and during its reviews: a decision stands until something else comes. */
  readonly evidence: readonly string[];
  /** The number of times that the platform said `Success` without a transaction. */
  readonly emptySuccesses: number;
  /** The number of times that it was read since it was sent. */
  readonly checks: number;
  /** Milliseconds since it was recorded, by the store's clock. */
  readonly ageMs: number;
  /** Milliseconds since it last changed, by the store's clock. */
  readonly unchangedMs: number;
  /** Milliseconds left to send it, by the store's clock; negative when the time is over. */
  readonly sendWithinMs: number;
  /** The span in which it was requested, as a W3C `traceparent`. Absent when there was none. */
  readonly traceparent?: string;
}

/** Something that operations share that ask for or send the same money. While one of them has no outcome, it refuses every other one. */
export interface GuardKey {
  /** 128 bits in hex, see `guardKey`: of a payer and an amount, of a destination and an amount, of the money of a refund, or of an order. */
  readonly key: string;
  /** True when operations that name tills guard each other only if they have one in common. */
  readonly atTill?: boolean;
  /** Milliseconds in which an operation refuses others after it was paid, in full or in part. Absent: none. */
  readonly paidForMs?: number;
}

/** Prevents that money is asked for or sent twice under two idempotency keys. */
export interface OperationGuard {
  readonly keys: readonly GuardKey[];
  /**
   * Minor units, as text, that each destination gets, by a key of its own. What several operations send to one destination in 24 hours is
   * counted together, whoever asks for it, see `approveFromMinor`.
   */
  readonly counted?: Readonly<Record<string, string>>;
}

/** The fields of every kind of operation that is to be recorded. */
export interface NewOperation extends Pick<
  Operation,
  | 'id'
  | 'account'
  | 'kind'
  | 'idempotencyKey'
  | 'amount'
  | 'amountMinor'
  | 'tills'
  | 'inBackground'
  | 'besides'
  | 'traceparent'
> {
  readonly guard?: OperationGuard;
  /**
   * Minor units, as text, from which on a second person must approve what one destination gets in 24 hours. Absent: this operation waits for
   * approval anyway, or none is needed.
   */
  readonly approveFromMinor?: string;
  /** Most minor units, as text, that operations of this kind and currency may have together in 24 hours. Those that failed do not count. */
  readonly dailyLimitMinor?: string;
}

/** An operation that waits for approval is checked by these fields again when it is approved. */
export type AskedAgain = Pick<
  NewOperation,
  | 'id'
  | 'account'
  | 'kind'
  | 'amount'
  | 'amountMinor'
  | 'tills'
  | 'besides'
  | 'guard'
  | 'dailyLimitMinor'
>;

/**
 * Returns the fields of an operation that has just been recorded.
 * @param at the store's time, in epoch milliseconds
 * @param mark of the attempt that it was recorded for as `requested`
 */
export function recordedFields(at: number, sendBeforeMs: number, mark?: SendingMark) {
  return {
    state: mark ? 'requested' : 'created',
    version: 1,
    redacted: false,
    platformId: null,
    transaction: null,
    outcome: null,
    approvedBy: null,
    settledVia: null,
    reason: null,
    errors: [],
    cause: null,
    causeDetail: null,
    sender: mark?.sender ?? null,
    sentAt: mark?.sentAt ?? null,
    deniedAt: null,
    decided: false,
    evidence: [],
    emptySuccesses: 0,
    checks: 0,
    ageMs: 0,
    unchangedMs: 0,
    sendWithinMs: sendBeforeMs,
    createdAt: new Date(at),
    updatedAt: new Date(at),
  } as const satisfies Partial<Operation>;
}

/** Fields of an operation that a change may set. */
export type OperationFields = Partial<
  Pick<
    Operation,
    | 'state'
    | 'platformId'
    | 'transaction'
    | 'outcome'
    | 'approvedBy'
    | 'settledVia'
    | 'reason'
    | 'errors'
    | 'cause'
    | 'causeDetail'
    | 'sender'
    | 'sentAt'
    | 'deniedAt'
    | 'decided'
    | 'evidence'
    | 'emptySuccesses'
    | 'checks'
  >
>;

/**
 * The payer who may pay money that an operation expects at its till: the person with this `phoneHash`, or anybody. Null when it expects
 * none. While one person is asked for an amount at a till, a second operation for the same is refused.
 */
type ExpectedPayer = { hash: string } | 'anybody' | null;

/** Says how stores keep what only one kind of operations has. */
export interface OperationForm<New extends NewOperation = NewOperation> {
  payer(operation: New): ExpectedPayer;
  /** Returns the fields without personal data. */
  request(operation: New): object;
  /** Returns the fields with personal data, which retention redacts. */
  personal(operation: New): object;
  /** These replace the fields with personal data. */
  readonly withoutPersons: object;
}

export const REVIEW_CAUSES = [
  /** No callback came, and what was asked of the platform shows nothing. */
  'no_evidence',
  /** The platform says `Success`, twice, and shows no transaction. */
  'no_transaction',
  /** Several transactions at the till could be the payment, or several payments the transaction. */
  'ambiguous',
  'amount_mismatch',
  'currency_mismatch',
  'till_mismatch',
  'unreadable_amount',
  'success_with_errors',
  'failed_with_transaction',
  /** Money came for an operation that had failed. */
  'paid_after_failure',
  'second_transaction',
  'transaction_of_another_payment',
  /** Results of a payout that belong to none of its destinations. */
  'unmatched_results',
  /** Two reports of one money name another amount, currency or till. */
  'reports_differ',
  /** A reversal of another amount than the money. */
  'other_amount_reversed',
  /** The money was received and went back. */
  'reversed',
] as const;

/**
 * The cause that sends an operation to review: the evidence of its platform is not enough, or contradicts the request. A person or later
 * proof ends the review.
 * @see docs/promises.md#states
 * @publicApi
 */
export type ReviewCause = (typeof REVIEW_CAUSES)[number];
