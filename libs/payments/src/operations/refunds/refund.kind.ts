import { type Decision, type DecisionContext, evidenceDigest } from '../../ledger/assessment.js';
import {
  accepted,
  failureStands,
  READ_FAILURE_MS,
  reviewSent,
  transferOfOther,
} from '../../ledger/decisions.js';
import {
  fail,
  type OperationChange,
  type Review,
  SETTLED,
} from '../../ledger/operation-changes.js';
import { isDecidable } from '../../ledger/operation-states.js';
import { OperationKind, type ShownResource, shownAs } from '../../ledger/operation.kind.js';
import {
  assertOpen,
  closed,
  decisionNote,
  notResolvable,
  type Resolution,
} from '../../ledger/resolution.js';
import { isSameAmount } from '../../money/money.js';
import { referenceOnly, type Transaction } from '../../money/transaction.js';
import type { Permit } from '../../platform/background-requests.js';
import type { Resources } from '../../platform/resources.js';
import { readResource } from '../../platform/resource-table.js';
import { REVERSAL, type Reversal } from '../../platform/resources/reversals.service.js';
import type { CreateOutcome, Sending } from '../../platform/sending.js';
import type { ResourceEnvelope } from '../../platform/wire-value.js';
import { ANOMALY } from '../../store/anomalies.store.js';
import type { EventSubject, NewEvent } from '../../store/new-event.js';
import type { ReviewCause } from '../../store/operation.js';
import { refundEvent, type RefundOutcome, type RefundRecord, toRefund } from './refund.js';

/** The kind `refund`: received money is sent back in full. */
export class RefundKind extends OperationKind<RefundRecord, Reversal, RefundAssessment> {
  readonly name = 'refund';
  readonly noun = 'refund';
  readonly callbackResource = 'reversals';
  readonly wireTypes = REVERSAL.types;
  readonly assess = assessRefund;
  readonly decide = decideRefund;

  constructor(private readonly resources: Resources) {
    super();
  }

  send(refund: RefundRecord, callbackUrl: string, sending: Sending): Promise<CreateOutcome> {
    const { account, reference, why, metadata } = refund;
    const request = {
      transactionReference: reference,
      reason: why,
      ...(metadata && { metadata }),
      callbackUrl,
    };
    return this.resources.resources(account).reversals.post(request, sending);
  }

  async read(
    account: string,
    platformId: string,
    permit: Permit,
  ): Promise<ShownResource<Reversal>> {
    const { reversals } = this.resources.resources(account, permit);
    return shownAs(await reversals.get(platformId), null);
  }

  show(envelope: ResourceEnvelope): ShownResource<Reversal> {
    return shownAs(readResource(REVERSAL, envelope), null);
  }

  override transfersIn({ reversalBulkPayment: transfer }: Reversal): readonly string[] {
    const isMade = transfer?.status === 'Transferred' && transfer.transactionReference !== null;
    return isMade ? [transfer.transactionReference as string] : [];
  }

  /** A refund that succeeds proves that the transaction went back: its payment is reversed also when no webhook says so. */
  override reversalIn(
    refund: RefundRecord,
    { content }: ShownResource<Reversal>,
  ): Transaction | null {
    // Evidence before sending is about another refund; one that contradicts itself proves nothing.
    if (refund.state === 'created' || refund.outcome?.state === 'failed') return null;
    if (assessRefund(refund, content).kind !== 'paid') return null;
    const { amount, tillNumber, reference } = refund;
    return { ...referenceOnly(amount, tillNumber, reference), status: 'Reversed' };
  }

  /** No till receives money, so it has no `tills`; it counts at the one that the money leaves. */
  protected override tillOf({ tillNumber }: RefundRecord): string {
    return tillNumber;
  }

  protected reviewEvent(subject: EventSubject, after: RefundRecord, cause: ReviewCause): NewEvent {
    return refundEvent('refund.needs_review', subject, { refund: toRefund(after), cause });
  }

  digestOf(assessment: RefundAssessment): string | null {
    switch (assessment.kind) {
      case 'paid':
        return evidenceDigest('paid', assessment.reference);
      case 'contradiction':
        return evidenceDigest(assessment.cause, assessment.detail);
      case 'failed':
      case 'open':
        return null;
    }
  }

  protected override subjectOf({ cause, detail }: Review): string {
    return `${cause} ${detail}`;
  }

  protected stateEvent(subject: EventSubject, after: RefundRecord): NewEvent | null {
    const refund = toRefund(after);
    switch (after.state) {
      case 'succeeded':
        return refundEvent('refund.succeeded', subject, { refund });
      case 'failed': {
        const { reason, errors } = after;
        const content = { refund, reason: reason ?? 'unknown', errors } as const;
        return refundEvent('refund.failed', subject, content);
      }
      case 'created':
      case 'requested':
      case 'pending':
      case 'unknown':
      case 'partially_succeeded':
      case 'needs_review':
      case 'reversed':
        return null;
    }
  }
}

const KEEP: Decision = { kind: 'keep', anomaly: null };

/** Known statuses that are not final. */
const UNFINISHED = new Set(['Pending', 'Received', 'Scheduled', 'Processing', 'Processed']);

/** The platform's evidence about a refund. */
type RefundAssessment =
  | { kind: 'paid'; reference: string | null }
  | { kind: 'failed'; errors: readonly string[] }
  | { kind: 'contradiction'; cause: ReviewCause; detail: string }
  | { kind: 'open'; unknownStatus: string | null };

/** Assesses the reversal that a callback or a status read shows. */
export function assessRefund(refund: RefundRecord, reversal: Reversal): RefundAssessment {
  const { status, reversalBulkPayment: transfer, transactionReference, errors } = reversal;
  if (transactionReference !== null && transactionReference.trim() !== refund.reference) {
    const detail = `the platform shows a reversal of transaction ${transactionReference}, not of ${refund.reference}`;
    return { kind: 'contradiction', cause: 'second_transaction', detail };
  }
  if (transfer?.status === 'Transferred') {
    const { currency, value } = refund.amount;
    if (errors.length > 0) {
      const detail = `the platform says Transferred and names errors: ${errors.join(' ')}`;
      return { kind: 'contradiction', cause: 'success_with_errors', detail };
    }
    if (transfer.amount === null && (transfer.raw['amount'] ?? null) !== null) {
      const detail = `asked to refund ${value} ${currency}, and the amount that went back cannot be read`;
      return { kind: 'contradiction', cause: 'unreadable_amount', detail };
    }
    if (
      transfer.amount !== null &&
      !isSameAmount(refund.amount, { currency, value: transfer.amount })
    ) {
      const detail = `asked to refund ${value} ${currency}, and ${transfer.amount} went back`;
      return { kind: 'contradiction', cause: 'amount_mismatch', detail };
    }
    return { kind: 'paid', reference: transfer.transactionReference };
  }
  if (transfer?.status === 'Cancelled' || errors.length > 0) return { kind: 'failed', errors };
  const unknown = [status, transfer?.status ?? null].find(
    (word) => word !== null && !UNFINISHED.has(word),
  );
  return { kind: 'open', unknownStatus: unknown ?? null };
}

/**
 * Decides what an assessment changes in the present state of a refund. The order of evidence does not change the final state.
 * @see docs/promises.md#money-out
 */
export function decideRefund(
  refund: RefundRecord,
  assessment: RefundAssessment,
  { isOwnRead, at, reasonOf, transfersOfOthers }: DecisionContext,
): Decision {
  const { state } = refund;
  if (state === 'created') return { kind: 'keep', anomaly: ANOMALY.evidenceBeforeSending };
  const seen = refund.outcome?.state ?? 'open';
  switch (assessment.kind) {
    case 'open':
      if (assessment.unknownStatus !== null)
        return { kind: 'keep', anomaly: ANOMALY.unknownStatus(assessment.unknownStatus) };
      return accepted(refund).state ? { kind: 'accept' } : KEEP;
    case 'contradiction':
      return reviewSent(refund, undefined, assessment.cause, assessment.detail);
    case 'paid': {
      const [other] = transfersOfOthers;
      if (other) {
        const { cause, detail } = transferOfOther(...other);
        return reviewSent(refund, undefined, cause, detail);
      }
      if (seen === 'failed' || state === 'failed') {
        const detail = 'the platform says that the money went back, after it said that it did not';
        const { reference } = assessment;
        const isKnown = seen === 'failed' && reference === refund.outcome?.reference;
        const outcome: RefundOutcome = { state: 'failed', reference };
        return reviewSent(refund, isKnown ? undefined : outcome, 'paid_after_failure', detail);
      }
      const outcome: RefundOutcome = { state: 'paid', reference: assessment.reference };
      // An amount that could not be read, and can be read now, contradicts nothing.
      const isSettling = isDecidable(refund) || refund.cause === 'unreadable_amount';
      // The person who decides must see what the platform has shown meanwhile.
      if (state === 'needs_review' && !isSettling && seen === 'open')
        return { kind: 'change', change: { set: { outcome } } };
      if (!isSettling) return KEEP;
      const set = { ...SETTLED, state: 'succeeded', outcome } as const;
      return { kind: 'change', change: { set, dueInMs: null } };
    }
    case 'failed': {
      if (seen === 'paid') return { kind: 'keep', anomaly: ANOMALY.failureWhile(state) };
      if (!isDecidable(refund)) return KEEP;
      const failedAt = (seen === 'failed' ? refund.outcome?.failedAt : undefined) ?? at;
      const outcome: RefundOutcome = {
        state: 'failed',
        reference: null,
        ...(failedAt !== null && { failedAt }),
      };
      // The platform must say again, when it is asked minutes later, that the money did not go back.
      if (!isOwnRead || !failureStands(refund.outcome, at)) {
        // The next read is scheduled already.
        if (seen === 'failed' && refund.outcome?.failedAt === outcome.failedAt) return KEEP;
        const set = { ...accepted(refund), outcome };
        return { kind: 'change', change: { set, dueInMs: READ_FAILURE_MS } };
      }
      const { errors } = assessment;
      const { set, dueInMs = null } = fail(refund, 'status', reasonOf(errors), errors);
      return { kind: 'change', change: { set: { ...set, outcome }, dueInMs } };
    }
  }
}

/** A person's decision on a refund. @publicApi */
export type RefundResolution = Pick<Resolution, 'by' | 'note'> & {
  /** `succeeded`: the money went back. `failed`: it did not, and it may be refunded again. */
  state: 'succeeded' | 'failed';
};

/**
 * Returns the change of a person's decision.
 * @throws OperationNotResolvableError when no decision on the refund is open, or the decision contradicts what is known
 */
export function refundResolutionChange(
  refund: RefundRecord,
  decision: RefundResolution,
): OperationChange {
  const { state } = decision;
  if (state !== 'succeeded' && state !== 'failed')
    throw notResolvable(refund, 'state must be succeeded or failed');
  assertOpen(refund, state);
  if (refund.state === state) return closed(refund, decision);
  const reference = refund.outcome?.reference ?? null;
  const note = decisionNote(`resolved as ${state}`, decision);
  if (state === 'succeeded') {
    const outcome = { state: 'paid', reference } as const;
    const set = { state, outcome, cause: null, causeDetail: null, decided: true } as const;
    return { via: 'review', set, dueInMs: null, note };
  }
  // The only one who said that it failed was a person.
  if (refund.decided && refund.cause === 'paid_after_failure')
    throw notResolvable(
      refund,
      `the platform shows transfer ${reference}: say so, with state: 'succeeded'`,
    );
  const change = fail(refund, 'review', refund.reason ?? 'unknown', refund.errors);
  const outcome = { state: 'failed', reference } as const;
  return { ...change, set: { ...change.set, outcome, decided: true }, note };
}
