import type { Assessment } from '../../ledger/assessment.js';
import { receivedDigest } from '../../ledger/evidence-digest.js';
import type { EventSubject, NewEvent } from '../../store/new-event.js';
import type { OperationChange } from '../../ledger/operation-changes.js';
import type { Permit } from '../../work/background-requests.js';
import { OperationKind, type ShownResource } from '../../ledger/operation.kind.js';
import type { ReviewCause } from '../../store/review-cause.js';
import {
  INCOMING_PAYMENT_TYPE,
  readIncomingPayment,
  type IncomingPayment,
} from '../../platform/resources/incoming-payments/incoming-payment.resource.js';
import type { Sending, CreateOutcome } from '../../work/sending.js';
import type { ResourceEnvelope } from '../../money/resource-envelope.js';
import type { Resources } from '../../platform/resources.js';
import {
  movementOf,
  type NamedTransaction,
  type PaidTransaction,
  type Transaction,
} from '../../money/transaction.js';
import type { UntiedQuery } from '../../store/transactions.store.js';
import { assess, type PaymentEvidence } from './payment-assessment.js';
import { decideReceived } from '../../ledger/received-money-decision.js';
import { moneyLike, toPayment, type PaymentRecord } from './payment.js';
import { paymentEvent } from './payments.events.js';

/** The kind `payment`: a customer is asked to pay. */
export class PaymentKind extends OperationKind<PaymentRecord, PaymentEvidence, Assessment> {
  readonly name = 'payment';
  readonly noun = 'payment';
  readonly callbackResource = 'incoming-payments';
  readonly wireTypes = [INCOMING_PAYMENT_TYPE];
  readonly assess = assess;
  readonly decide = decideReceived;

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
    return this.resources.of(account).incomingPayments.post(complete, sending);
  }

  async read(
    account: string,
    platformId: string,
    permit: Permit,
  ): Promise<ShownResource<PaymentEvidence>> {
    return shown(await this.resources.of(account, permit).incomingPayments.get(platformId));
  }

  show(envelope: ResourceEnvelope): ShownResource<PaymentEvidence> {
    return shown(readIncomingPayment(envelope));
  }

  override denies({ kind }: Assessment): boolean {
    return kind === 'failed';
  }

  override digestOf(assessment: Assessment): string | null {
    return receivedDigest(assessment);
  }

  override notesOf(assessment: Assessment): readonly string[] {
    return assessment.kind === 'succeeded' ? assessment.notes : [];
  }

  override moneyLike(payment: PaymentRecord): UntiedQuery | null {
    return moneyLike(payment);
  }

  /** The result of a payment can show that its own money went back. */
  override reversalIn(
    _payment: PaymentRecord,
    { transaction }: ShownResource<PaymentEvidence>,
  ): Transaction | null {
    return transaction && movementOf(transaction.status) === 'reversed' ? transaction : null;
  }

  /** One that failed has no money, also if a person has seen some that is not its. */
  protected override outcomeOf({ state, transaction }: PaymentRecord): string {
    return state === 'failed' ? '' : (transaction?.reference ?? '');
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

function shown(incomingPayment: IncomingPayment): ShownResource<PaymentEvidence> {
  return {
    platformId: incomingPayment.id,
    callbackUrl: incomingPayment.links.callbackUrl,
    transaction: incomingPayment.event.resource,
    content: { incomingPayment },
  };
}
