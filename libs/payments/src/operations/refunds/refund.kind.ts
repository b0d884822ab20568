import type { EventSubject, NewEvent } from '../../store/new-event.js';
import { evidenceDigest } from '../../ledger/evidence-digest.js';
import type { Review } from '../../ledger/operation-changes.js';
import type { Permit } from '../../work/background-requests.js';
import { OperationKind, type ShownResource } from '../../ledger/operation.kind.js';
import type { ReviewCause } from '../../store/review-cause.js';
import type { Sending, CreateOutcome } from '../../work/sending.js';
import type { ResourceEnvelope } from '../../money/resource-envelope.js';
import type { Resources } from '../../platform/resources.js';
import {
  readReversal,
  REVERSAL_TYPES,
  type Reversal,
} from '../../platform/resources/reversals/reversal.resource.js';
import { referenceOnly, type Transaction } from '../../money/transaction.js';
import { assessRefund, decideRefund, type RefundAssessment } from './refund-decision.js';
import { toRefund, type RefundRecord } from './refund.js';
import { refundEvent } from './refunds.events.js';

/** The kind `refund`: received money is sent back in full. */
export class RefundKind extends OperationKind<RefundRecord, Reversal, RefundAssessment> {
  readonly name = 'refund';
  readonly noun = 'refund';
  readonly callbackResource = 'reversals';
  readonly wireTypes = REVERSAL_TYPES;
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
    return this.resources.of(account).reversals.post(request, sending);
  }

  async read(
    account: string,
    platformId: string,
    permit: Permit,
  ): Promise<ShownResource<Reversal>> {
    return shown(await this.resources.of(account, permit).reversals.get(platformId));
  }

  show(envelope: ResourceEnvelope): ShownResource<Reversal> {
    return shown(readReversal(envelope));
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

  override digestOf(assessment: RefundAssessment): string | null {
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

function shown(reversal: Reversal): ShownResource<Reversal> {
  return {
    platformId: reversal.id,
    callbackUrl: reversal.links.callbackUrl,
    transaction: null,
    content: reversal,
  };
}
