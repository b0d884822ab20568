import type { OperationForm } from '../../store/operation.form.js';
import type { NewOperation, Operation, OperationState } from '../../store/operation.js';
import type { ReviewCause } from '../../store/review-cause.js';
import type { SendMoneyDestination } from '../../platform/resources/send-money/send-money-destination.dto.js';
import type { Metadata } from '../../money/metadata.js';
import type { Amount } from '../../money/money.js';
import type { FailureReason } from '../../money/known-failures.js';

/**
 * State of a payout. `succeeded`: every destination was paid; `partially_succeeded`: some were, and the others were not; `failed`: none
 * was; `needs_review`: a person or later proof decides. In any other state the outcome is open.
 * @see docs/promises.md#money-out
 * @publicApi
 */
export type PayoutState = Exclude<OperationState, 'reversed'>;

/**
 * What became of one destination. `paid`: the platform says that it transferred the money. `failed`: it says that it did not. `open`:
 * not known yet.
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
export interface Payout {
  /** Our id, a UUID. */
  readonly id: string;
  /** Name of the account. */
  readonly account: string;
  readonly state: PayoutState;
  readonly idempotencyKey: string;
  /** The platform's id; null while it is unknown. */
  readonly platformId: string | null;
  /** The sum of all destinations. */
  readonly amount: Amount;
  /** Ids of the payouts that it passed, as the request named them. */
  readonly besides: readonly string[];
  /** What pays; null: the platform's choice. */
  readonly sourceIdentifier: string | null;
  readonly destinations: readonly PayoutDestination[];
  /** The host's own data; null when there is none, and after retention has redacted it. */
  readonly metadata: Metadata | null;
  /** Who asked for it; null when the request named nobody, and after retention has redacted it. */
  readonly requestedBy: string | null;
  /** Whether it waits for the approval of a second person, and is not sent until then. */
  readonly awaitsApproval: boolean;
  /** Who approved it; null when nobody did, and after retention has redacted it. */
  readonly approvedBy: string | null;
  /** Set on `failed`. */
  readonly reason: FailureReason | null;
  /** The platform's error messages on a failure. */
  readonly errors: readonly string[];
  /** Set on `needs_review`. */
  readonly cause: ReviewCause | null;
  /** Explains the cause. */
  readonly causeDetail: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What became of one destination, as the store keeps it. */
export type DestinationOutcome = Pick<
  PayoutDestination,
  'state' | 'transactionReference' | 'errors'
> & {
  /** The platform has said something else of it as well. Only such a destination can a person say not to be paid that was shown as paid. */
  readonly isContradicted?: true;
  /** When the first report came that it failed, in epoch milliseconds by the platform's clock; absent while that clock is not known. */
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
  /** For each destination; null while nothing is known. */
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

/** How a store keeps a payout. */
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

/** The destinations as requested; empty when they, or some of them, are redacted: nothing can be compared with them any more. */
export function wholeRecipients({
  recipients,
}: Pick<PayoutRecord, 'recipients'>): readonly SendMoneyDestination[] {
  const left = recipients.filter((recipient) => recipient !== null);
  return left.length === recipients.length ? left : [];
}

const UNKNOWN: DestinationOutcome = { state: 'open', transactionReference: null, errors: [] };

/** What is known of each destination. */
export function outcomesOf({
  transfers,
  outcome,
}: Pick<PayoutRecord, 'transfers' | 'outcome'>): readonly DestinationOutcome[] {
  return transfers.map((_, index) => outcome?.[index] ?? UNKNOWN);
}

/** Whether a payout waits for the approval of a second person. */
export function awaitsApproval({ state, needsApproval, approvedBy }: PayoutRecord): boolean {
  return state === 'created' && needsApproval && approvedBy === null;
}

/** The public part of a record. It is frozen, so that no listener can change it for another. */
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
    id: record.id,
    account: record.account,
    state: record.state as PayoutState,
    idempotencyKey: record.idempotencyKey,
    platformId: record.platformId,
    amount: Object.freeze({ ...record.amount }),
    besides: Object.freeze([...record.besides]),
    sourceIdentifier: record.sourceIdentifier,
    destinations: Object.freeze(destinations),
    metadata: record.metadata && Object.freeze({ ...record.metadata }),
    requestedBy: record.requestedBy,
    awaitsApproval: awaitsApproval(record),
    approvedBy: record.approvedBy,
    reason: record.reason,
    errors: Object.freeze([...record.errors]),
    cause: record.cause,
    causeDetail: record.causeDetail,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  });
}
