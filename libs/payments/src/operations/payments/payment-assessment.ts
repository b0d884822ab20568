import type { Assessment } from '../../ledger/assessment.js';
import type { ReviewCause } from '../../store/review-cause.js';
import type { IncomingPayment } from '../../platform/resources/incoming-payments/incoming-payment.resource.js';
import { hasReference, movementOf, type NamedTransaction } from '../../money/transaction.js';
import { aliasFor, nameOf } from '../../money/transaction-sameness.js';
import { isSameAmount } from '../../money/money.js';
import { comparePhone } from '../../money/phone-number.js';
import { isSameTill, type TillAliases } from '../../money/till-number.js';
import type { PaymentRecord } from './payment.js';

/** Known statuses of an incoming payment that are not final. */
const UNFINISHED = new Set(['Pending', 'Received', 'Processing']);

/** Longest text of a contradiction: it may contain long texts of the platform. */
const LONGEST_DETAIL = 300;

type Request = Pick<PaymentRecord, 'amount' | 'tillNumber' | 'tills' | 'subscriber'>;

/** Evidence about a payment: its resource, or a transaction that was matched to it. */
export type PaymentEvidence =
  { incomingPayment: Pick<IncomingPayment, 'status' | 'event'> } | { matched: NamedTransaction };

/** Assesses evidence about a payment request. */
export function assess(
  request: Request,
  evidence: PaymentEvidence,
  aliases: TillAliases,
): Assessment {
  return 'matched' in evidence
    ? assessTransaction(request, evidence.matched, aliases)
    : assessIncomingPayment(request, evidence.incomingPayment, aliases);
}

/** Assesses the resource that a callback or a status read shows. */
export function assessIncomingPayment(
  request: Request,
  { status, event }: Pick<IncomingPayment, 'status' | 'event'>,
  aliases: TillAliases,
): Assessment {
  const { resource, errors } = event;
  if (status === 'Failed') {
    if (!resource) return { kind: 'failed', reason: null, errors };
    const detail = `the platform says Failed and shows transaction ${nameOf(resource)}`;
    return {
      kind: 'contradiction',
      cause: 'failed_with_transaction',
      detail,
      transaction: resource,
    };
  }
  if (status !== 'Success')
    return { kind: 'open', unknownStatus: UNFINISHED.has(status ?? '') ? null : status };
  if (errors.length > 0) {
    const shown = resource ? ` and shows transaction ${nameOf(resource)}` : '';
    const detail = `the platform says Success, names errors${shown}: ${errors.join(' ')}`.slice(
      0,
      LONGEST_DETAIL,
    );
    return { kind: 'contradiction', cause: 'success_with_errors', detail, transaction: resource };
  }
  if (!hasReference(resource)) return { kind: 'no_transaction' };
  return assessTransaction(request, resource, aliases);
}

/** Assesses a transaction that may pay the request. */
export function assessTransaction(
  request: Request,
  transaction: NamedTransaction,
  aliases: TillAliases,
): Assessment {
  const contradiction = (cause: ReviewCause, detail: string): Assessment => ({
    kind: 'contradiction',
    cause,
    detail,
    transaction,
  });
  const { amount, currency, status, tillNumber } = transaction;
  const movement = movementOf(status);
  if (movement === 'reversed')
    return contradiction('reversed', `transaction ${nameOf(transaction)} was reversed`);
  if (movement === null) return { kind: 'open', unknownStatus: status };
  if (amount === null)
    return contradiction(
      'unreadable_amount',
      `the amount of transaction ${nameOf(transaction)} cannot be read`,
    );
  if (currency === null || currency !== request.amount.currency) {
    return contradiction(
      'currency_mismatch',
      `asked for ${request.amount.currency}, received ${currency} in transaction ${nameOf(transaction)}`,
    );
  }
  if (!isSameAmount(request.amount, { currency, value: amount })) {
    return contradiction(
      'amount_mismatch',
      `asked for ${request.amount.value}, received ${amount} ${currency} in transaction ${nameOf(transaction)}`,
    );
  }
  if (!isSameTill(tillNumber ?? '', request.tills, aliases)) {
    return contradiction('till_mismatch', tillMismatch(request, transaction));
  }
  const paid = { ...transaction, amount, currency };
  return { kind: 'succeeded', transaction: paid, notes: payerNotes(request, transaction) };
}

function tillMismatch(request: Request, transaction: NamedTransaction): string {
  const { tillNumber } = transaction;
  const detail = `asked for till ${request.tillNumber}, received at till ${tillNumber ?? '(none)'} in transaction ${nameOf(transaction)}`;
  return tillNumber
    ? `${detail}; if both are one till, set PAYMENTS_TILL_ALIASES=${aliasFor(tillNumber, request.tillNumber)}`
    : detail;
}

/** A different payer does not contradict the request, because people pay for each other. The history gets a note. */
function payerNotes(request: Request, transaction: NamedTransaction): string[] {
  // A redacted payment does not say which phone was prompted.
  if (request.subscriber.phoneNumber === '') return [];
  const compared = comparePhone(request.subscriber.phoneNumber, {
    phoneNumber: transaction.senderPhoneNumber,
    hashedPhone: transaction.hashedSenderPhone,
  });
  if (compared === 'same') return [];
  return [
    compared === 'different'
      ? 'paid from another phone than the prompted one'
      : 'the payer has no readable phone',
  ];
}
