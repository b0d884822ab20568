import type { Amount } from '../values/money.js';
import type { Metadata } from '../values/metadata.js';
import type { Transaction } from '../resources/transaction.resource.js';

/**
 * | state | meaning |
 * |---|---|
 * | `created` | recorded, no byte sent |
 * | `requested` | committed before the socket is written |
 * | `pending` | the platform answered with an id |
 * | `unknown` | sent, no usable answer: it may or may not have happened |
 * | `succeeded`, `failed` | final, by the platform's word |
 * | `needs_review` | evidence contradicts itself or the request, or there is none in time |
 * | `reversed` | succeeded, then reversed |
 * @publicApi
 */
export type PaymentState =
  | 'created'
  | 'requested'
  | 'pending'
  | 'unknown'
  | 'succeeded'
  | 'failed'
  | 'needs_review'
  | 'reversed';

/** Why a payment failed. `timeout` means that the platform said so: our clock never makes a payment fail. @publicApi */
export type FailureReason =
  | 'cancelled'
  | 'timeout'
  | 'insufficient_funds'
  | 'wrong_pin'
  | 'limit'
  | 'busy'
  | 'rejected'
  | 'not_sent'
  | 'unknown';

/** Why a payment needs a person, or later proof. @publicApi */
export type ReviewCause =
  | 'no_evidence'
  | 'no_transaction'
  | 'ambiguous'
  | 'amount_mismatch'
  | 'currency_mismatch'
  | 'till_mismatch'
  | 'unreadable_amount'
  | 'success_with_errors'
  | 'failed_with_transaction'
  | 'paid_after_failure'
  | 'second_transaction'
  | 'transaction_of_another_payment'
  | 'reversed';

/** The road by which news came. @publicApi */
export type Via = 'request' | 'callback' | 'webhook' | 'status' | 'sweep' | 'review';

/** Who is asked to pay. */
export interface Subscriber {
  firstName: string;
  lastName: string;
  /** International form with `+`. */
  phoneNumber: string;
  email?: string;
}

/** Our record of one customer debit, from before it is sent. @publicApi */
export interface Payment {
  readonly id: string;
  readonly account: string;
  readonly state: PaymentState;
  readonly idempotencyKey: string;
  /** The platform's id, once it is known. */
  readonly platformId: string | null;
  readonly tillNumber: string;
  /** Emptied by retention. */
  readonly subscriber: Subscriber;
  readonly amount: Amount;
  readonly metadata: Metadata | null;
  /** The money that moved, once proven. */
  readonly transaction: Transaction | null;
  /** Set on `failed`. */
  readonly reason: FailureReason | null;
  /** The platform's own words on a failure. */
  readonly errors: readonly string[];
  /** Set on `needs_review`, and when a second transaction was seen. */
  readonly cause: ReviewCause | null;
  /** What the cause is about, in words: both values of a mismatch, the alias that would join two tills. */
  readonly causeDetail: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A payment as a store keeps it. */
export interface PaymentRecord extends Payment {
  /** Grows with every change: what compare-and-set compares. */
  readonly version: number;
  readonly channel: string;
  readonly allowParallel: boolean;
  /** Every number of its till when it was recorded: an alias that is removed later does not part them. */
  readonly tills: readonly string[];
  /** Amount in minor units, as text. */
  readonly amountMinor: string;
  /**
   * Whether the background sends it, because it was recorded in the host's own database transaction. Any other payment is
   * sent only inside a living call of the host.
   */
  readonly inBackground: boolean;
  /** Names the attempt that marked it `requested`, so that who loses the answer of that commit can tell its own. */
  readonly sender: string | null;
  /** When the create was sent, by the platform's clock; null before. */
  readonly sentAt: Date | null;
  /** Whether all money of its window was read and none fits: it then keeps nobody from asking again. */
  readonly windowSwept: boolean;
  /** When a read of ours last said `Failed` and showed no money, by the platform's clock. */
  readonly deniedAt: Date | null;
  /** Whether a person decided it. */
  readonly decided: boolean;
  /** How many times the platform said `Success` and showed no transaction. */
  readonly emptySuccesses: number;
  /** How many times it was read since it was sent. */
  readonly checks: number;
  /** Milliseconds since it was recorded, by the store's clock. */
  readonly ageMs: number;
  /** Milliseconds since it last changed, by the store's clock. */
  readonly unchangedMs: number;
  /** Milliseconds in which it may still be sent, by the store's clock; negative when that is over. */
  readonly sendWithinMs: number;
}

/** Fields of a record that a change may set. */
export type PaymentChanges = Partial<
  Pick<
    PaymentRecord,
    | 'state'
    | 'platformId'
    | 'transaction'
    | 'reason'
    | 'errors'
    | 'cause'
    | 'causeDetail'
    | 'sender'
    | 'sentAt'
    | 'windowSwept'
    | 'deniedAt'
    | 'decided'
    | 'emptySuccesses'
    | 'checks'
  >
>;

/** What a host sees of a record, frozen: a listener cannot change what the next one sees. */
export function toPayment(record: PaymentRecord): Payment {
  return Object.freeze({
    id: record.id,
    account: record.account,
    state: record.state,
    idempotencyKey: record.idempotencyKey,
    platformId: record.platformId,
    tillNumber: record.tillNumber,
    subscriber: Object.freeze({ ...record.subscriber }),
    amount: Object.freeze({ ...record.amount }),
    metadata: record.metadata && Object.freeze({ ...record.metadata }),
    transaction: record.transaction && Object.freeze({ ...record.transaction }),
    reason: record.reason,
    errors: Object.freeze([...record.errors]),
    cause: record.cause,
    causeDetail: record.causeDetail,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  });
}
