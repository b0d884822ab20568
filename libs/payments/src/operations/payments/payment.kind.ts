import type { NewEvent } from '../../ledger/new-event.js';
import type { OperationChange } from '../../ledger/operation.changes.js';
import { OperationKind } from '../../ledger/operation.kind.js';
import type { NamedTransaction, PaidTransaction } from '../../resources/transaction.resource.js';
import { assess, type PaymentEvidence } from './payment.assessment.js';
import { decide } from './payment.decision.js';
import { toPayment, type PaymentRecord } from './payment.js';
import { paymentEvent } from './payments.events.js';

/** The kind `payment`: a customer is asked to pay. */
export class PaymentKind extends OperationKind<PaymentRecord, PaymentEvidence> {
  readonly name = 'payment';
  readonly assess = assess;
  readonly decide = decide;

  events(before: PaymentRecord, after: PaymentRecord, change: OperationChange): NewEvent[] {
    const { account, id } = before;
    const subject = { account, stream: id, via: change.via };
    const payment = toPayment(after);
    if (change.review) {
      const { cause, reference } = change.review;
      // Each contradiction and each transaction emits its own event.
      const distinction = reference === null ? cause : `${cause} ${reference}`;
      return [
        paymentEvent('payment.needs_review', { ...subject, distinction }, { payment, cause }),
      ];
    }
    if (after.state === before.state) return [];
    switch (after.state) {
      case 'succeeded': {
        const transaction = after.transaction as PaidTransaction;
        return [paymentEvent('payment.succeeded', subject, { payment, transaction })];
      }
      case 'failed': {
        const { reason, errors } = after;
        return [
          paymentEvent('payment.failed', subject, { payment, reason: reason ?? 'unknown', errors }),
        ];
      }
      case 'reversed': {
        const transaction = change.reversal as NamedTransaction;
        return [paymentEvent('payment.reversed', subject, { payment, transaction })];
      }
      case 'created':
      case 'requested':
      case 'pending':
      case 'unknown':
      case 'needs_review':
        return [];
    }
  }
}
