import { IsOptional } from 'class-validator';
import { commonFacts } from '../../ledger/operation.kind.js';
import { idempotencyKeyProblem } from '../../ledger/request-names.js';
import type { FailureReason } from '../../money/known-failures.js';
import type { Amount } from '../../money/money.js';
import { tillNumberProblem } from '../../money/till-number.js';
import { type Metadata, metadataProblem } from '../../money/values.js';
import { sendBeforeProblem } from '../../platform/sending.js';
import { filled, Satisfies } from '../../runtime/validate-input.js';
import { eventBuilder, type PaymentsEventBase } from '../../store/new-event.js';
import type {
  NewOperation,
  Operation,
  OperationFacts,
  OperationForm,
  OperationState,
  ReviewCause,
} from '../../store/operation.js';

/**
 * State of a refund. `succeeded`: the money went back; `failed`: it did not; `needs_review`: a person or later proof decides. In any
 * other state the outcome is open.
 * @see docs/promises.md#money-out
 * @publicApi
 */
export type RefundState = Exclude<OperationState, 'reversed' | 'partially_succeeded'>;

/** Our record of received money that is sent back in full. It is recorded before anything is sent. @publicApi */
export interface Refund extends OperationFacts<RefundState> {
  /** Id of our payment whose money goes back; null for money that was named by its reference and till. */
  readonly paymentId: string | null;
  /** Reference of the transaction that goes back. */
  readonly reference: string;
  /** Till number at which the money was received. */
  readonly tillNumber: string;
  /** The whole received amount. */
  readonly amount: Amount;
  readonly why: string;
  /** Reference of the transfer that sends the money back, which is not `reference`; null until the platform shows it. */
  readonly refundReference: string | null;
  /** The person who asked for it; null when the request named nobody, and after retention has redacted it. */
  readonly requestedBy: string | null;
}

/** The platform's report about the transfer that sends the money back. */
export interface RefundOutcome {
  readonly state: 'open' | 'paid' | 'failed';
  readonly reference: string | null;
  /** The time of the first report that it failed, in epoch milliseconds by the platform's clock; absent while that clock is not known. */
  readonly failedAt?: number;
}

/** A refund as the store keeps it. */
export interface RefundRecord extends Operation {
  readonly paymentId: string | null;
  readonly reference: string;
  readonly tillNumber: string;
  readonly why: string;
  readonly metadata: Metadata | null;
  readonly requestedBy: string | null;
  readonly outcome: RefundOutcome | null;
}

/** A refund that is to be recorded. */
export type NewRefund = NewOperation &
  Pick<RefundRecord, 'paymentId' | 'reference' | 'tillNumber' | 'why' | 'metadata' | 'requestedBy'>;

export function isRefund(operation: Operation): operation is RefundRecord {
  return operation.kind === 'refund';
}

export const refundForm: OperationForm<NewRefund> = {
  payer: () => null,
  request: ({ paymentId, reference, tillNumber }) => ({ paymentId, reference, tillNumber }),
  personal: ({ why, metadata, requestedBy }) => ({ why, metadata, requestedBy }),
  withoutPersons: { why: '', metadata: null, requestedBy: null },
};

/** Returns the public part of a record. It is frozen, so that no listener can change it for another. */
export function toRefund(record: RefundRecord): Refund {
  return Object.freeze({
    ...commonFacts<RefundState>(record),
    paymentId: record.paymentId,
    reference: record.reference,
    tillNumber: record.tillNumber,
    why: record.why,
    refundReference: record.outcome?.reference ?? null,
    requestedBy: record.requestedBy,
  });
}

/** Events of refunds. The payment whose money went back also emits `payment.reversed`. @publicApi */
export interface RefundEvents {
  /** The money went back. At most once for each refund. */
  'refund.succeeded': PaymentsEventBase & { readonly refund: Refund };
  /** The money did not go back. At most once for each refund. */
  'refund.failed': PaymentsEventBase & {
    readonly refund: Refund;
    readonly reason: FailureReason;
    /** The platform's error messages. */
    readonly errors: readonly string[];
  };
  /** Contradictory or missing evidence: a person or later proof must decide. Emitted once for each cause and contradiction. */
  'refund.needs_review': PaymentsEventBase & {
    readonly refund: Refund;
    readonly cause: ReviewCause;
  };
}

export const REFUND_EVENTS: readonly (keyof RefundEvents)[] = [
  'refund.succeeded',
  'refund.failed',
  'refund.needs_review',
];

export const refundEvent = eventBuilder<RefundEvents>();

/** Every refund has these fields. @publicApi */
export interface RefundBase {
  /**
   * Identifies this refund, 1 to 255 characters. The same key never refunds twice. With the same request it returns the same refund;
   * with a different request it is an `IdempotencyConflictError`.
   */
  idempotencyKey: string;
  /** The reason for which the money goes back. The platform requires it. */
  why: string;
  /** The host's own data, at most 5 keys. The platform sends it back with the result. */
  metadata?: Metadata;
  /** Name or id of the person who asks for it. It stays here: the platform does not get it. */
  requestedBy?: string;
  /**
   * Milliseconds in which this request may be sent; a longer time than `sending.sendBeforeMs` of the settings counts as that. While the platform is down,
   * `request()` takes so long; then the refund fails with reason `not_sent`. A repeat with another time is the same request.
   * @default `sending.sendBeforeMs`
   */
  sendBeforeMs?: number;
}

/** A refund of a payment of ours. @publicApi */
export interface RefundOfPayment extends RefundBase {
  /** Id of a payment that succeeded. The money of a payment link is named by the reference and till of its transaction. */
  paymentId: string;
  reference?: never;
  tillNumber?: never;
}

/** A refund of any money at a till, also of money that no payment of ours requested, or that came by a payment link. @publicApi */
export interface RefundOfTransaction extends RefundBase {
  /** Reference of the received transaction, in any case of letters. */
  reference: string;
  /** Till number at which it was received. */
  tillNumber: string;
  paymentId?: never;
}

/**
 * The input of `RefundsService.request()` and `record()`.
 * @example
 * const input: RequestRefund = { idempotencyKey: 'refund-order-1042', paymentId: payment.id, why: 'The goods are out of stock' };
 * @publicApi
 */
export type RequestRefund = RefundOfPayment | RefundOfTransaction;

type Given = { paymentId?: unknown };

const ofTransaction =
  (problem: (value: unknown) => string | null) =>
  (value: unknown, { paymentId }: Given): string | null => {
    if (paymentId === undefined) return problem(value);
    return value === undefined ? null : 'cannot be given together with paymentId';
  };

/** The rules of the fields of a request. */
export class RefundFields {
  @Satisfies(idempotencyKeyProblem)
  idempotencyKey: string;

  @Satisfies(filled)
  why: string;

  @IsOptional()
  @Satisfies(filled)
  paymentId?: string;

  @Satisfies(ofTransaction((value) => (filled(value, {}) ? 'or paymentId is missing' : null)))
  reference?: string;

  @Satisfies(ofTransaction(tillNumberProblem))
  tillNumber?: string;

  @IsOptional()
  @Satisfies(metadataProblem)
  metadata?: Metadata;

  @IsOptional()
  @Satisfies(filled)
  requestedBy?: string;

  @IsOptional()
  @Satisfies(sendBeforeProblem)
  sendBeforeMs?: number;
}
