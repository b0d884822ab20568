import type { Assessment, Decision, DecisionContext } from '../../ledger/assessment.js';
import { decideReceived } from '../../ledger/received-money-decision.js';
import type { ReviewCause } from '../../store/review-cause.js';
import {
  statusOf,
  transactionOf,
  type PaymentLinkResource,
} from '../../platform/resources/payment-links/payment-link.resource.js';
import { isSameAmount } from '../../money/money.js';
import { isSameTill, type TillAliases } from '../../money/till-number.js';
import { readTimestamp } from '../../money/timestamp.js';
import type { LinkOutcome, PaymentLinkRecord } from './payment-link.js';

/** What the platform says about a payment link. */
export interface PaymentLinkAssessment {
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
