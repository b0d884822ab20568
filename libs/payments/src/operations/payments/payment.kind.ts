import { type Assessment, receivedDigest } from '../../ledger/assessment.js';
import { decideReceived } from '../../ledger/decisions.js';
import type { OperationChange } from '../../ledger/operation-changes.js';
import { OperationKind, type ShownResource, shownAs } from '../../ledger/operation.kind.js';
import { isSameAmount } from '../../money/money.js';
import { comparePhone, phoneHash } from '../../money/phone-number.js';
import { isSameTill, type TillAliases } from '../../money/till-number.js';
import { aliasFor, nameOf } from '../../money/transaction-sameness.js';
import {
  hasReference,
  movementOf,
  type NamedTransaction,
  type PaidTransaction,
  type Transaction,
} from '../../money/transaction.js';
import type { Permit } from '../../platform/background-requests.js';
import type { Resources } from '../../platform/resources.js';
import { readResource } from '../../platform/resource-table.js';
import {
  INCOMING_PAYMENT,
  type IncomingPayment,
} from '../../platform/resources/incoming-payments.service.js';
import type { CreateOutcome, Sending } from '../../platform/sending.js';
import type { ResourceEnvelope } from '../../platform/wire-value.js';
import type { EventSubject, NewEvent } from '../../store/new-event.js';
import type { ReviewCause } from '../../store/operation.js';
import type { UntiedQuery } from '../../store/transactions.store.js';
import { moneyLike, paymentEvent, type PaymentRecord, toPayment } from './payment.js';

/** The kind `payment`: a customer is asked to pay. */
export class PaymentKind extends OperationKind<PaymentRecord, PaymentEvidence, Assessment> {
  readonly name = 'payment';
  readonly noun = 'payment';
  readonly callbackResource = 'incoming-payments';
  readonly wireTypes = INCOMING_PAYMENT.types;
  readonly assess = assess;
  readonly decide = decideReceived;
  readonly digestOf = receivedDigest;

  constructor(private readonly resources: Resources) {
    super();
  }

  send(payment: PaymentRecord, callbackUrl: string, sending: Sending): Promise<CreateOutcome> {
    const { account, channel, tillNumber, subscriber, amount, metadata } = payment;
    const complete = {
      paymentChannel: channel,
      tillNumber,
      subscriber,
      amount,
      ...(metadata && { metadata }),
      callbackUrl,
    };
    return this.resources.resources(account).incomingPayments.post(complete, sending);
  }

  async read(
    account: string,
    platformId: string,
    permit: Permit,
  ): Promise<ShownResource<PaymentEvidence>> {
    const { incomingPayments } = this.resources.resources(account, permit);
    const incomingPayment = await incomingPayments.get(platformId);
    return shownAs(incomingPayment, incomingPayment.event.resource);
  }

  show(envelope: ResourceEnvelope): ShownResource<PaymentEvidence> {
    const incomingPayment = readResource(INCOMING_PAYMENT, envelope);
    return shownAs(incomingPayment, incomingPayment.event.resource);
  }

  override denies({ kind }: Assessment): boolean {
    return kind === 'failed';
  }

  override notesOf(assessment: Assessment): readonly string[] {
    return assessment.kind === 'succeeded' ? assessment.notes : [];
  }

  override moneyLike(payment: PaymentRecord): UntiedQuery | null {
    return moneyLike(payment);
  }

  override payerHash({ subscriber }: PaymentRecord): string {
    return phoneHash(subscriber.phoneNumber);
  }

  /** The result of a payment can show that its own money went back. */
  override reversalIn(
    _payment: PaymentRecord,
    { transaction }: ShownResource<PaymentEvidence>,
  ): Transaction | null {
    return transaction && movementOf(transaction.status) === 'reversed' ? transaction : null;
  }

  protected reviewEvent(subject: EventSubject, after: PaymentRecord, cause: ReviewCause): NewEvent {
    return paymentEvent('payment.needs_review', subject, { payment: toPayment(after), cause });
  }

  protected stateEvent(
    subject: EventSubject,
    after: PaymentRecord,
    change: OperationChange,
  ): NewEvent | null {
    const payment = toPayment(after);
    switch (after.state) {
      case 'succeeded': {
        const transaction = after.transaction as PaidTransaction;
        const { announcedBefore = false } = change;
        const content = { payment, transaction, announcedBefore };
        return paymentEvent('payment.succeeded', subject, content);
      }
      case 'failed': {
        const { reason, errors } = payment;
        const { unownedReferences = [] } = change;
        const content = {
          payment,
          reason: reason ?? 'unknown',
          errors,
          unownedReferences,
        } as const;
        return paymentEvent('payment.failed', subject, content);
      }
      case 'reversed': {
        const transaction = change.reversal as NamedTransaction;
        return paymentEvent('payment.reversed', subject, { payment, transaction });
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

/** Known statuses of an incoming payment that are not final. */
const UNFINISHED = new Set(['Pending', 'Received', 'Processing']);

/** Longest text of a contradiction: it may contain long texts of the platform. */
const LONGEST_DETAIL = 300;

type Request = Pick<PaymentRecord, 'amount' | 'tillNumber' | 'tills' | 'subscriber'>;

/** Evidence about a payment: its resource, or a transaction that was matched to it. */
export type PaymentEvidence =
  Pick<IncomingPayment, 'status' | 'event'> | { matched: NamedTransaction };

/** Assesses evidence about a payment request. */
export function assess(
  request: Request,
  evidence: PaymentEvidence,
  aliases: TillAliases,
): Assessment {
  return 'matched' in evidence
    ? assessTransaction(request, evidence.matched, aliases)
    : assessIncomingPayment(request, evidence, aliases);
}

/** Assesses the resource that a callback or a status read shows. */
function assessIncomingPayment(
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
function assessTransaction(
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
