import { IsOptional } from 'class-validator';
import { commonFacts } from '../../ledger/operation.kind.js';
import { besidesProblem, idempotencyKeyProblem } from '../../ledger/request-names.js';
import type { FailureReason } from '../../money/known-failures.js';
import type { Amount } from '../../money/money.js';
import type { Metadata } from '../../money/values.js';
import {
  type SendMoneyDestination,
  SendMoneyFields,
} from '../../platform/resources/create-send-money.dto.js';
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
 * State of a payout. `succeeded`: every destination was paid; `partially_succeeded`: some were, and the others were not; `failed`: none
 * was; `needs_review`: a person or later proof decides. In any other state the outcome is open.
 * @see docs/promises.md#money-out
 * @publicApi
 */
export type PayoutState = Exclude<OperationState, 'reversed'>;

/**
 * The outcome of one destination. `paid`: the platform says that it transferred the money. `failed`: it says that it did not. `open`: not
 * known yet.
 * @publicApi
 */
export type DestinationState = 'open' | 'paid' | 'failed';

/** One destination of a payout, and what became of it. @publicApi */
export interface PayoutDestination {
  readonly type: SendMoneyDestination['type'];
  /** Decimal string in the main unit of the payout's currency. */
  readonly amount: string;
  readonly state: DestinationState;
  /** The platform's reference of the transfer; null while it is unknown, and for some transfers to banks. */
  readonly transactionReference: string | null;
  /** The platform's error messages for this destination. */
  readonly errors: readonly string[];
  /** As requested; null after retention has redacted it. */
  readonly recipient: SendMoneyDestination | null;
}

/** Our record of money that is sent to one or several destinations. It is recorded before anything is sent. @publicApi */
export interface Payout extends OperationFacts<PayoutState> {
  /** The sum of all destinations. */
  readonly amount: Amount;
  /** Ids of the payouts that it passed, as the request named them. */
  readonly besides: readonly string[];
  /** The till number that pays; null: the platform chooses it. */
  readonly sourceIdentifier: string | null;
  readonly destinations: readonly PayoutDestination[];
  /** The person who asked for it; null when the request named nobody, and after retention has redacted it. */
  readonly requestedBy: string | null;
  /** True while it waits for the approval of a second person. It is not sent until then. */
  readonly awaitsApproval: boolean;
  /** The person who approved it; null when nobody did, and after retention has redacted it. */
  readonly approvedBy: string | null;
}

/** The outcome of one destination, as the store keeps it. */
export type DestinationOutcome = Pick<
  PayoutDestination,
  'state' | 'transactionReference' | 'errors'
> & {
  /**
   * The platform has also reported another result of this destination. Only then may a person decide that a destination was not paid
   * although it was shown as paid.
   */
  readonly isContradicted?: true;
  /** The time of the first report that it failed, in epoch milliseconds by the platform's clock; absent while that clock is not known. */
  readonly failedAt?: number;
};

/** A payout as the store keeps it. */
export interface PayoutRecord extends Operation {
  readonly sourceIdentifier: string | null;
  /** Type and amount of each destination. They stay when `recipients` are redacted. */
  readonly transfers: readonly Pick<PayoutDestination, 'type' | 'amount'>[];
  /** The destinations as requested; empty after retention has redacted them. One that was redacted on request of the recipient is null. */
  readonly recipients: readonly (SendMoneyDestination | null)[];
  readonly metadata: Metadata | null;
  readonly requestedBy: string | null;
  readonly needsApproval: boolean;
  /** The outcome of each destination; null while nothing is known. */
  readonly outcome: readonly DestinationOutcome[] | null;
}

/** A payout that is to be recorded. */
export type NewPayout = NewOperation &
  Pick<
    PayoutRecord,
    'sourceIdentifier' | 'transfers' | 'recipients' | 'metadata' | 'requestedBy' | 'needsApproval'
  >;

export function isPayout(operation: Operation): operation is PayoutRecord {
  return operation.kind === 'payout';
}

export const payoutForm: OperationForm<NewPayout> = {
  payer: () => null,
  request: ({ sourceIdentifier, transfers, needsApproval }) => ({
    sourceIdentifier,
    transfers,
    needsApproval,
  }),
  personal: ({ recipients, metadata, requestedBy }) => ({ recipients, metadata, requestedBy }),
  withoutPersons: { recipients: [], metadata: null, requestedBy: null },
};

/** Returns the destinations as requested; empty when they, or some of them, are redacted: nothing can be compared with them any more. */
export function wholeRecipients({
  recipients,
}: Pick<PayoutRecord, 'recipients'>): readonly SendMoneyDestination[] {
  const left = recipients.filter((recipient) => recipient !== null);
  return left.length === recipients.length ? left : [];
}

const UNKNOWN: DestinationOutcome = { state: 'open', transactionReference: null, errors: [] };

/** Returns the present outcome of each destination. */
export function outcomesOf({
  transfers,
  outcome,
}: Pick<PayoutRecord, 'transfers' | 'outcome'>): readonly DestinationOutcome[] {
  return transfers.map((_, index) => outcome?.[index] ?? UNKNOWN);
}

/** True while a payout waits for the approval of a second person. */
export function awaitsApproval({ state, needsApproval, approvedBy }: PayoutRecord): boolean {
  return state === 'created' && needsApproval && approvedBy === null;
}

/** Returns the public part of a record. It is frozen, so that no listener can change it for another. */
export function toPayout(record: PayoutRecord): Payout {
  const outcomes = outcomesOf(record);
  const destinations = record.transfers.map(({ type, amount }, index) => {
    const { state: shown, transactionReference, errors } = outcomes[index] ?? UNKNOWN;
    // It was declined, refused, or not sent: there are no results of it.
    const state = shown === 'open' && record.state === 'failed' ? 'failed' : shown;
    const recipient = record.recipients[index] ?? null;
    return Object.freeze({
      type,
      amount,
      state,
      transactionReference,
      errors: Object.freeze([...errors]),
      recipient: recipient && Object.freeze(structuredClone(recipient)),
    });
  });
  return Object.freeze({
    ...commonFacts<PayoutState>(record),
    besides: Object.freeze([...record.besides]),
    sourceIdentifier: record.sourceIdentifier,
    destinations: Object.freeze(destinations),
    requestedBy: record.requestedBy,
    awaitsApproval: awaitsApproval(record),
    approvedBy: record.approvedBy,
  });
}

/** Events of payouts. @publicApi */
export interface PayoutEvents {
  /** Every destination was paid. At most once for each payout. */
  'payout.succeeded': PaymentsEventBase & { readonly payout: Payout };
  /** Some destinations were paid and the others were not: see `payout.destinations`. At most once for each payout. */
  'payout.partially-succeeded': PaymentsEventBase & { readonly payout: Payout };
  /** No destination was paid. At most once for each payout. */
  'payout.failed': PaymentsEventBase & {
    readonly payout: Payout;
    readonly reason: FailureReason;
    /** The platform's error messages. */
    readonly errors: readonly string[];
  };
  /**
   * Contradictory or missing evidence: a person or later proof must decide. Do not pay again before that. Emitted once for each cause and
   * contradiction.
   */
  'payout.needs_review': PaymentsEventBase & {
    readonly payout: Payout;
    readonly cause: ReviewCause;
  };
}

export const PAYOUT_EVENTS: readonly (keyof PayoutEvents)[] = [
  'payout.succeeded',
  'payout.partially-succeeded',
  'payout.failed',
  'payout.needs_review',
];

export const payoutEvent = eventBuilder<PayoutEvents>();

/**
 * The input of `PayoutsService.request()` and `record()`.
 * @example
 * const input: RequestPayout = {
 *   idempotencyKey: 'wages-2026-11-jane',
 *   currency: 'KES',
 *   destinations: [
 *     { type: 'mobile_wallet', phoneNumber: '+254700000001', network: 'Safaricom', amount: '1000.00', description: 'Wages' },
 *   ],
 * };
 * @publicApi
 */
export interface RequestPayout {
  /**
   * Identifies this payout, 1 to 255 characters, such as an invoice number with an attempt. The same key never pays twice. With the
   * same request it returns the same payout; with a different request it is an `IdempotencyConflictError`.
   */
  idempotencyKey: string;
  /** ISO 4217 code: `KES`. */
  currency: string;
  /** The recipients and their amounts: at least one destination. */
  destinations: readonly [SendMoneyDestination, ...SendMoneyDestination[]];
  /** The till number that pays. @default the platform's choice */
  sourceIdentifier?: string;
  /** The host's own data, at most 5 keys. The platform sends it back with the result. */
  metadata?: Metadata;
  /** The person who asks for it: a name or an id of the host. Required when a second person must approve it. */
  requestedBy?: string;
  /**
   * Ids of payouts that are in the way, and that this one passes: those that a `PayoutInFlightError` named, after a person looked at them. Any other
   * payout in the way still refuses it, and so does a named one that was paid meanwhile. A repeat with other ids is the same request.
   */
  besides?: readonly string[];
  /**
   * Milliseconds in which this request may be sent; a longer time than `sending.sendBeforeMs` of the settings counts as that. While the platform is down,
   * `request()` takes so long; then the payout fails with reason `not_sent`. A repeat with another time is the same request.
   * For a payout that waits for approval, the time begins with the approval, and the time of the settings counts.
   * @default `sending.sendBeforeMs`
   */
  sendBeforeMs?: number;
}

/** The rules of the fields of a request; those of each destination are in `validateSendMoney`. */
export class PayoutFields extends SendMoneyFields {
  @Satisfies(idempotencyKeyProblem)
  idempotencyKey: string;

  @IsOptional()
  @Satisfies(filled)
  requestedBy?: string;

  @IsOptional()
  @Satisfies(besidesProblem)
  besides?: string[];

  @IsOptional()
  @Satisfies(sendBeforeProblem)
  sendBeforeMs?: number;

  @IsOptional()
  @Satisfies(
    () =>
      'cannot be given: a payout names each amount, so that limits can be checked. To send all funds, use SendMoneyService.create()',
  )
  declare sweepAllFunds?: never;

  @IsOptional()
  @Satisfies(() => 'cannot be given: results of a payout come to our own URL')
  declare callbackUrl?: never;
}
