import type { IncomingPayment } from '../resources/incoming-payments/incoming-payment.resource.js';
import { movementOf, type Transaction } from '../resources/transaction.resource.js';
import { isSameAmount } from '../values/money.js';
import { comparePhone } from '../values/phone-number.js';
import { isSameTill, type TillAliases } from '../values/till-number.js';
import { failureReason } from './failure-reason.js';
import type { FailureReason, PaymentRecord, ReviewCause } from './payment.js';

/** What one piece of evidence says about a payment, whatever state it is in. */
export type Judgement =
  /** Full proof that the money came. */
  | { kind: 'succeeded'; transaction: Transaction; notes: readonly string[] }
  /** The platform's word that it did not. */
  | { kind: 'failed'; reason: FailureReason; errors: readonly string[] }
  /** `Success` that shows no transaction: not proof yet. */
  | { kind: 'no_transaction' }
  /** It contradicts itself or the request. */
  | { kind: 'contradiction'; cause: ReviewCause; detail: string; transaction: Transaction | null }
  /** Nothing final. `unknownStatus` when the platform used a word that we do not know. */
  | { kind: 'open'; unknownStatus: string | null };

/** Statuses of an incoming payment that are known not to be final. */
const UNFINISHED = new Set(['Pending', 'Received', 'Processing']);

/** Longest text of what contradicts a request: the platform's words in it may be of any length. */
const LONGEST_DETAIL = 300;

type Request = Pick<PaymentRecord, 'amount' | 'tillNumber' | 'tills' | 'subscriber'>;

/** Judges what a callback or a read says of a payment request. */
export function judgeIncomingPayment(
  request: Request,
  { status, event }: Pick<IncomingPayment, 'status' | 'event'>,
  aliases: TillAliases,
): Judgement {
  const { resource, errors } = event;
  if (status === 'Failed') {
    if (!resource) return { kind: 'failed', reason: failureReason(errors), errors };
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
  if (!resource?.reference) return { kind: 'no_transaction' };
  return judgeTransaction(request, resource, aliases);
}

/** Judges a transaction that is said to be the money of a payment. */
export function judgeTransaction(
  request: Request,
  transaction: Transaction,
  aliases: TillAliases,
): Judgement {
  const contradiction = (cause: ReviewCause, detail: string): Judgement => ({
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
  if (currency !== request.amount.currency) {
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
  return { kind: 'succeeded', transaction, notes: payerNotes(request, transaction) };
}

/** What money is known by: two contradictions about two of them are two. */
export function nameOf({ reference, id }: Pick<Transaction, 'reference' | 'id'>): string | null {
  return reference ?? (id && `id:${id}`);
}

function tillMismatch(request: Request, transaction: Transaction): string {
  const { tillNumber } = transaction;
  const words = `asked for till ${request.tillNumber}, received at till ${tillNumber ?? '(none)'} in transaction ${nameOf(transaction)}`;
  return tillNumber
    ? `${words}; if both are one till, set PAYMENTS_TILL_ALIASES=${aliasFor(tillNumber, request.tillNumber)}`
    : words;
}

/** The alias that would join two tills: an online payment account, which starts with K, stands for a till. */
export function aliasFor(one: string, other: string): string {
  return other.startsWith('K') && !one.startsWith('K') ? `${other}=${one}` : `${one}=${other}`;
}

/** Another payer is nothing against the payment: people pay for each other. It is written down. */
function payerNotes(request: Request, transaction: Transaction): string[] {
  const compared = comparePhone(request.subscriber.phoneNumber, {
    phoneNumber: transaction.senderPhoneNumber,
    hashedPhone: transaction.hashedSenderPhone,
  });
  if (compared === 'same') return [];
  return [
    compared === 'different'
      ? 'paid from another phone than the one asked'
      : 'the payer has no readable phone',
  ];
}
