import type { PaymentsSettings } from '../../accounts/payments.settings.js';
import {
  type Assessment,
  type Decision,
  type DecisionContext,
  receivedDigest,
} from '../../ledger/assessment.js';
import { decideReceived } from '../../ledger/decisions.js';
import type { OperationChange } from '../../ledger/operation-changes.js';
import {
  OperationKind,
  type ReviewTime,
  type ShownResource,
  shownAs,
} from '../../ledger/operation.kind.js';
import { isSameAmount } from '../../money/money.js';
import { isSameTill, type TillAliases } from '../../money/till-number.js';
import { readTimestamp } from '../../money/timestamp.js';
import type { NamedTransaction, PaidTransaction } from '../../money/transaction.js';
import type { Permit } from '../../platform/background-requests.js';
import type { Resources } from '../../platform/resources.js';
import { readResource } from '../../platform/resource-table.js';
import {
  PAYMENT_LINK,
  type PaymentLinkResource,
  statusOf,
  transactionOf,
} from '../../platform/resources/bare-payment-links.service.js';
import type { CreateOutcome, Sending } from '../../platform/sending.js';
import type { ResourceEnvelope } from '../../platform/wire-value.js';
import type { EventSubject, NewEvent } from '../../store/new-event.js';
import type { ReviewCause } from '../../store/operation.js';
import {
  type LinkOutcome,
  paymentLinkEvent,
  type PaymentLinkRecord,
  toPaymentLink,
} from './payment-link.js';

/** A link can be paid for this long, if the platform has not reported another time. */
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
  readonly wireTypes = PAYMENT_LINK.types;
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
    return this.resources.resources(account).paymentLinks.post(request, sending);
  }

  async read(
    account: string,
    platformId: string,
    permit: Permit,
  ): Promise<ShownResource<PaymentLinkResource>> {
    const { paymentLinks } = this.resources.resources(account, permit);
    const link = await paymentLinks.get(platformId);
    return shownAs(link, transactionOf(link));
  }

  show(envelope: ResourceEnvelope): ShownResource<PaymentLinkResource> {
    const link = readResource(PAYMENT_LINK, envelope);
    return shownAs(link, transactionOf(link));
  }

  digestOf({ money }: PaymentLinkAssessment): string | null {
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

/** The platform's evidence about a payment link. */
interface PaymentLinkAssessment {
  money: Assessment;
  /** URL and end of the link; null when it does not show them. */
  outcome: LinkOutcome | null;
}

/** Assesses the resource that a callback or a status read shows. */
export function assessPaymentLink(
  request: Pick<PaymentLinkRecord, 'amount' | 'tills'>,
  resource: PaymentLinkResource,
  aliases: TillAliases,
): PaymentLinkAssessment {
  return { money: moneyOf(request, resource, aliases), outcome: outcomeOf(resource) };
}

function moneyOf(
  request: Pick<PaymentLinkRecord, 'amount' | 'tills'>,
  resource: PaymentLinkResource,
  aliases: TillAliases,
): Assessment {
  const { errors, amount, tillNumber } = resource;
  const status = statusOf(resource);
  const transaction = transactionOf(resource);
  const contradiction = (cause: ReviewCause, detail: string): Assessment => ({
    kind: 'contradiction',
    cause,
    detail,
    transaction,
  });
  if (status === 'cancelled' || status === 'expired') {
    if (!transaction) return { kind: 'failed', reason: status, errors };
    const detail = `the platform says that the link is ${status} and shows transaction ${transaction.reference}`;
    return contradiction('failed_with_transaction', detail);
  }
  if (status !== 'paid' && !transaction)
    return { kind: 'open', unknownStatus: status === null || status === 'active' ? null : status };
  if (status !== 'paid') {
    const detail = `the platform says that the link is ${status} and shows transaction ${transaction?.reference}`;
    return contradiction('failed_with_transaction', detail);
  }
  if (errors.length > 0)
    return contradiction(
      'success_with_errors',
      `the platform says Paid and names errors: ${errors.join(' ')}`,
    );
  if (!transaction?.reference) return { kind: 'no_transaction' };
  const { reference } = transaction;
  if (!amount) return contradiction('unreadable_amount', `the amount of the link cannot be read`);
  if (amount.currency !== request.amount.currency)
    return contradiction(
      'currency_mismatch',
      `asked for ${request.amount.currency}, the link shows ${amount.currency}`,
    );
  if (!isSameAmount(request.amount, amount))
    return contradiction(
      'amount_mismatch',
      `asked for ${request.amount.value}, the link shows ${amount.value} ${amount.currency}`,
    );
  if (!isSameTill(tillNumber ?? '', request.tills, aliases))
    return contradiction(
      'till_mismatch',
      `asked for till ${request.tills[0]}, the link shows till ${tillNumber ?? '(none)'}`,
    );
  const paid = { ...transaction, reference, amount: amount.value, currency: amount.currency };
  return { kind: 'succeeded', transaction: paid, notes: [] };
}

function outcomeOf({ link }: PaymentLinkResource): LinkOutcome | null {
  if (!link?.url) return null;
  return { url: link.url, expiresAt: readTimestamp(link.expiresAt)?.getTime() ?? null };
}

/** Decides like for every operation that expects money at a till, and keeps the link's URL. */
export function decidePaymentLink(
  link: PaymentLinkRecord,
  { money, outcome }: PaymentLinkAssessment,
  context: DecisionContext,
): Decision {
  const decision = decideReceived(link, money, context);
  if (link.state === 'created') return decision;
  const isNew = outcome !== null && JSON.stringify(outcome) !== JSON.stringify(link.outcome);
  if (!isNew || (decision.kind !== 'keep' && decision.kind !== 'accept')) return decision;
  const set = { outcome, ...(decision.kind === 'accept' && { state: 'pending' as const }) };
  return { kind: 'change', change: { set } };
}
