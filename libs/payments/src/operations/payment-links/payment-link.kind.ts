import type { EventSubject, NewEvent } from '../../store/new-event.js';
import type { OperationChange } from '../../ledger/operation-changes.js';
import { receivedDigest } from '../../ledger/evidence-digest.js';
import type { Permit } from '../../work/background-requests.js';
import { OperationKind, type ReviewTime, type ShownResource } from '../../ledger/operation.kind.js';
import type { ReviewCause } from '../../store/review-cause.js';
import type { PaymentsSettings } from '../../work/payments.settings.js';
import type { Sending, CreateOutcome } from '../../work/sending.js';
import {
  PAYMENT_LINK_TYPE,
  readPaymentLink,
  transactionOf,
  type PaymentLinkResource,
} from '../../platform/resources/payment-links/payment-link.resource.js';
import type { ResourceEnvelope } from '../../money/resource-envelope.js';
import type { Resources } from '../../platform/resources.js';
import type { NamedTransaction, PaidTransaction } from '../../money/transaction.js';
import {
  assessPaymentLink,
  decidePaymentLink,
  type PaymentLinkAssessment,
} from './payment-link-assessment.js';
import { toPaymentLink, type PaymentLinkRecord } from './payment-link.js';
import { paymentLinkEvent } from './payment-links.events.js';

/** How long a link can be paid, if the platform has not said it. */
const OPEN_FOR_MS = 7 * 24 * 60 * 60_000;

/** The kind `payment_link`: anybody who has the link can pay it, once. */
export class PaymentLinkKind extends OperationKind<
  PaymentLinkRecord,
  PaymentLinkResource,
  PaymentLinkAssessment
> {
  readonly name = 'payment_link';
  readonly noun = 'payment link';
  readonly callbackResource = 'payment-links';
  readonly wireTypes = [PAYMENT_LINK_TYPE];
  /** Only a read shows the URL. */
  override readonly isReadAtOnce = true;
  readonly assess = assessPaymentLink;
  readonly decide = decidePaymentLink;

  constructor(private readonly resources: Resources) {
    super();
  }

  send(link: PaymentLinkRecord, callbackUrl: string, sending: Sending): Promise<CreateOutcome> {
    const { account, tillNumber, amount, paymentReference, note, metadata } = link;
    const request = {
      tillNumber,
      amount,
      ...(paymentReference !== null && { paymentReference }),
      ...(note !== null && { note }),
      ...(metadata && { metadata }),
      callbackUrl,
    };
    return this.resources.of(account).paymentLinks.post(request, sending);
  }

  async read(
    account: string,
    platformId: string,
    permit: Permit,
  ): Promise<ShownResource<PaymentLinkResource>> {
    return shown(await this.resources.of(account, permit).paymentLinks.get(platformId));
  }

  show(envelope: ResourceEnvelope): ShownResource<PaymentLinkResource> {
    return shown(readPaymentLink(envelope));
  }

  override digestOf({ money }: PaymentLinkAssessment): string | null {
    return receivedDigest(money);
  }

  /** A link that nobody has paid owns no earlier money. */
  override denies({ money }: PaymentLinkAssessment): boolean {
    return money.kind === 'failed' || (money.kind === 'open' && money.unknownStatus === null);
  }

  override reviewTime(link: PaymentLinkRecord, { reconciliation }: PaymentsSettings): ReviewTime {
    const expiresAt = link.outcome?.expiresAt ?? link.createdAt.getTime() + OPEN_FOR_MS;
    const openForMs = Math.max(0, expiresAt - link.createdAt.getTime());
    return {
      afterMs: openForMs + reconciliation.reviewAfterMs,
      detail:
        'the link should have expired, and the platform says neither that nor that it was paid',
    };
  }

  /** One that failed has no money, also if a person has seen some that is not its. */
  protected override outcomeOf({ state, transaction }: PaymentLinkRecord): string {
    return state === 'failed' ? '' : (transaction?.reference ?? '');
  }

  protected reviewEvent(
    subject: EventSubject,
    after: PaymentLinkRecord,
    cause: ReviewCause,
  ): NewEvent {
    const content = { paymentLink: toPaymentLink(after), cause };
    return paymentLinkEvent('payment-link.needs_review', subject, content);
  }

  protected stateEvent(
    subject: EventSubject,
    after: PaymentLinkRecord,
    change: OperationChange,
  ): NewEvent | null {
    const paymentLink = toPaymentLink(after);
    switch (after.state) {
      case 'succeeded': {
        const transaction = after.transaction as PaidTransaction;
        return paymentLinkEvent('payment-link.paid', subject, { paymentLink, transaction });
      }
      case 'failed': {
        const { reason, errors } = after;
        if (reason === 'cancelled')
          return paymentLinkEvent('payment-link.cancelled', subject, { paymentLink });
        if (reason === 'expired')
          return paymentLinkEvent('payment-link.expired', subject, { paymentLink });
        const content = { paymentLink, reason: reason ?? 'unknown', errors } as const;
        return paymentLinkEvent('payment-link.failed', subject, content);
      }
      case 'reversed': {
        const transaction = change.reversal as NamedTransaction;
        return paymentLinkEvent('payment-link.reversed', subject, { paymentLink, transaction });
      }
      case 'created':
      case 'requested':
      case 'pending':
      case 'unknown':
      case 'partially_succeeded':
      case 'needs_review':
        return null;
    }
  }
}

function shown(resource: PaymentLinkResource): ShownResource<PaymentLinkResource> {
  return {
    platformId: resource.id,
    callbackUrl: resource.links.callbackUrl,
    transaction: transactionOf(resource),
    content: resource,
  };
}
