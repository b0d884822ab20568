import { IsOptional } from 'class-validator';
import { commonFacts } from '../../ledger/operation.kind.js';
import { besidesProblem, idempotencyKeyProblem, orderProblem } from '../../ledger/request-names.js';
import type { FailureReason } from '../../money/known-failures.js';
import type { NamedTransaction, PaidTransaction, Transaction } from '../../money/transaction.js';
import type { Metadata } from '../../money/values.js';
import { CreatePaymentLinkDto } from '../../platform/resources/bare-payment-links.service.js';
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
 * State of a payment link. `succeeded`: a customer paid; `failed`: nobody can pay any more, see `reason` (`cancelled`, `expired`);
 * `reversed`: the money went back; `needs_review`: a person or later proof decides. In any other state it can be paid.
 * @see docs/promises.md#payment-links
 * @publicApi
 */
export type PaymentLinkState = Exclude<OperationState, 'partially_succeeded'>;

/** Our record of a link at which a customer can pay once. It is recorded before anything is sent. @publicApi */
export interface PaymentLink extends OperationFacts<PaymentLinkState> {
  /** The customer pays at this URL: share it. Null until the platform has shown it. */
  readonly url: string | null;
  /** The customer can pay until this time, by the platform; null until the platform has shown it. */
  readonly expiresAt: Date | null;
  /** Till number to which the money goes. */
  readonly tillNumber: string;
  /** The order that the customer pays, as the request named it; null when the request named none. */
  readonly order: string | null;
  /** Ids of the operations that it passed, as the request named them. */
  readonly besides: readonly string[];
  /** The host's own reference, which the customer sees; null when there is none. */
  readonly paymentReference: string | null;
  /** A text for the customer; null when there is none, and after retention has redacted it. */
  readonly note: string | null;
  /** The person who asked for it; null when the request named nobody, and after retention has redacted it. */
  readonly requestedBy: string | null;
  /** The transaction that paid, or that a review is about; null until it is known. */
  readonly transaction: Transaction | null;
  /** Set on `failed`: `cancelled`, `expired`, `rejected`, `not_sent`. */
  readonly reason: FailureReason | null;
}

/** The platform's own report about the link. */
export interface LinkOutcome {
  readonly url: string | null;
  /** Epoch milliseconds. */
  readonly expiresAt: number | null;
}

/** A payment link as the store keeps it. */
export interface PaymentLinkRecord extends Operation {
  readonly tillNumber: string;
  readonly order: string | null;
  readonly paymentReference: string | null;
  readonly note: string | null;
  readonly metadata: Metadata | null;
  readonly requestedBy: string | null;
  readonly outcome: LinkOutcome | null;
}

/** A payment link that is to be recorded. */
export type NewPaymentLink = NewOperation &
  Pick<
    PaymentLinkRecord,
    'tillNumber' | 'order' | 'paymentReference' | 'note' | 'metadata' | 'requestedBy'
  >;

export function isPaymentLink(operation: Operation): operation is PaymentLinkRecord {
  return operation.kind === 'payment_link';
}

export const paymentLinkForm: OperationForm<NewPaymentLink> = {
  payer: () => 'anybody',
  request: ({ tillNumber, order, paymentReference }) => ({ tillNumber, order, paymentReference }),
  personal: ({ note, metadata, requestedBy }) => ({ note, metadata, requestedBy }),
  // No request has an empty note, so it says that the link is redacted.
  withoutPersons: { note: '', metadata: null, requestedBy: null },
};

/** Returns the public part of a record. It is frozen, so that no listener can change it for another. */
export function toPaymentLink(record: PaymentLinkRecord): PaymentLink {
  const { url = null, expiresAt = null } = record.outcome ?? {};
  return Object.freeze({
    ...commonFacts<PaymentLinkState>(record),
    url,
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    tillNumber: record.tillNumber,
    order: record.order,
    besides: Object.freeze([...record.besides]),
    paymentReference: record.paymentReference,
    note: record.note || null,
    requestedBy: record.requestedBy,
    transaction: record.transaction && Object.freeze({ ...record.transaction }),
  });
}

/** Events of payment links. @publicApi */
export interface PaymentLinkEvents {
  /** A customer paid, or a person decided so: the money is at the till. At most once for each link. */
  'payment-link.paid': PaymentsEventBase & {
    readonly paymentLink: PaymentLink;
    readonly transaction: PaidTransaction;
  };
  /** The link was cancelled, and nobody had paid. */
  'payment-link.cancelled': PaymentsEventBase & { readonly paymentLink: PaymentLink };
  /** Nobody paid in time. */
  'payment-link.expired': PaymentsEventBase & { readonly paymentLink: PaymentLink };
  /** There is no link: the platform refused it, or it was not sent; or a person decided that nobody paid. */
  'payment-link.failed': PaymentsEventBase & {
    readonly paymentLink: PaymentLink;
    readonly reason: FailureReason;
    /** The platform's error messages. */
    readonly errors: readonly string[];
  };
  /** The money of a paid link, or of one in review, went back. */
  'payment-link.reversed': PaymentsEventBase & {
    readonly paymentLink: PaymentLink;
    /** The reversal as the platform shows it. */
    readonly transaction: NamedTransaction;
  };
  /** Contradictory or missing evidence: a person or later proof must decide. Emitted once for each cause and transaction. */
  'payment-link.needs_review': PaymentsEventBase & {
    readonly paymentLink: PaymentLink;
    readonly cause: ReviewCause;
  };
}

export const PAYMENT_LINK_EVENTS: readonly (keyof PaymentLinkEvents)[] = [
  'payment-link.paid',
  'payment-link.cancelled',
  'payment-link.expired',
  'payment-link.failed',
  'payment-link.reversed',
  'payment-link.needs_review',
];

export const paymentLinkEvent = eventBuilder<PaymentLinkEvents>();

/**
 * The input of `PaymentLinksService.request()` and `record()`.
 * @example
 * const input: RequestPaymentLink = {
 *   idempotencyKey: 'order-1042-link',
 *   amount: { currency: 'KES', value: '100.00' },
 *   paymentReference: 'order 1042',
 * };
 * @publicApi
 */
export class RequestPaymentLink extends CreatePaymentLinkDto {
  /**
   * Identifies this link, 1 to 255 characters. The same key never makes two links. With the same request it returns the same link;
   * with a different request it is an `IdempotencyConflictError`.
   */
  @Satisfies(idempotencyKeyProblem)
  idempotencyKey: string;

  /**
   * The order number, 1 to 255 characters: it names what the customer owes, never an attempt. An order is paid once: while a payment or a
   * link of it has no outcome, another key is refused (`PaymentInFlightError`), and after it was paid, too (`AlreadyPaidError`), whatever
   * phone, amount or till it names. Money that went back counts as not paid. Keep it free of personal data: it is not redacted.
   */
  @IsOptional()
  @Satisfies(orderProblem)
  order?: string;

  /**
   * Ids of operations that are in the way, and that this request passes: those that a `PaymentInFlightError` named, after the customer was asked.
   * Any other operation in the way still refuses it, and so does a named one that was paid meanwhile. A repeat with other ids is the same request.
   */
  @IsOptional()
  @Satisfies(besidesProblem)
  besides?: string[];

  /** Name or id of the person who asks for it. It stays here: the platform does not get it. */
  @IsOptional()
  @Satisfies(filled)
  requestedBy?: string;

  /**
   * Milliseconds in which this request may be sent; a longer time than `sending.sendBeforeMs` of the settings counts as that. While the platform is down,
   * `request()` takes so long; then the link fails with reason `not_sent`. A repeat with another time is the same request.
   * @default `sending.sendBeforeMs`
   */
  @IsOptional()
  @Satisfies(sendBeforeProblem)
  sendBeforeMs?: number;

  /** Not allowed: the callback must come to our own URL, which identifies the link. */
  @IsOptional()
  @Satisfies(() => 'cannot be given: results of a payment link come to our own URL')
  declare callbackUrl?: never;
}
