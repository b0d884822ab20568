import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { OnPaymentEvent, type PaymentsEventName, type PaymentsEvents } from '@tillkit/payments';
import { received, settings } from './replica.context.js';
import type { ReceivedMessage } from './replica.settings.js';

/** Records every event, and fails at the rate in the settings. */
@Injectable()
export class ReplicaListener {
  @OnPaymentEvent('payment.succeeded')
  succeeded(event: PaymentsEvents['payment.succeeded']): Promise<void> {
    return this.record('payment.succeeded', event, event.payment.id, event.payment.id);
  }

  @OnPaymentEvent('payment.failed')
  failed(event: PaymentsEvents['payment.failed']): Promise<void> {
    return this.record('payment.failed', event, event.payment.id, event.payment.id);
  }

  @OnPaymentEvent('payment.needs_review')
  review(event: PaymentsEvents['payment.needs_review']): Promise<void> {
    return this.record('payment.needs_review', event, event.payment.id, event.payment.id);
  }

  @OnPaymentEvent('payment.reversed')
  reversed(event: PaymentsEvents['payment.reversed']): Promise<void> {
    return this.record('payment.reversed', event, event.payment.id, event.payment.id);
  }

  @OnPaymentEvent('till.transaction.received')
  transactionReceived(event: PaymentsEvents['till.transaction.received']): Promise<void> {
    const { reference } = event.transaction;
    return this.record('till.transaction.received', event, reference ?? '', event.paymentId);
  }

  @OnPaymentEvent('till.transaction.reversed')
  transactionReversed(event: PaymentsEvents['till.transaction.reversed']): Promise<void> {
    const { reference } = event.transaction;
    return this.record('till.transaction.reversed', event, reference ?? '', event.paymentId);
  }

  @OnPaymentEvent('payout.succeeded')
  payoutSucceeded(event: PaymentsEvents['payout.succeeded']): Promise<void> {
    return this.record('payout.succeeded', event, event.payout.id, null);
  }

  @OnPaymentEvent('payout.partially-succeeded')
  payoutPartiallySucceeded(event: PaymentsEvents['payout.partially-succeeded']): Promise<void> {
    return this.record('payout.partially-succeeded', event, event.payout.id, null);
  }

  @OnPaymentEvent('payout.failed')
  payoutFailed(event: PaymentsEvents['payout.failed']): Promise<void> {
    return this.record('payout.failed', event, event.payout.id, null);
  }

  @OnPaymentEvent('payout.needs_review')
  payoutNeedsReview(event: PaymentsEvents['payout.needs_review']): Promise<void> {
    return this.record('payout.needs_review', event, event.payout.id, null);
  }

  @OnPaymentEvent('refund.succeeded')
  refundSucceeded(event: PaymentsEvents['refund.succeeded']): Promise<void> {
    return this.record('refund.succeeded', event, event.refund.id, null);
  }

  @OnPaymentEvent('refund.failed')
  refundFailed(event: PaymentsEvents['refund.failed']): Promise<void> {
    return this.record('refund.failed', event, event.refund.id, null);
  }

  @OnPaymentEvent('refund.needs_review')
  refundNeedsReview(event: PaymentsEvents['refund.needs_review']): Promise<void> {
    return this.record('refund.needs_review', event, event.refund.id, null);
  }

  @OnPaymentEvent('payment-link.paid')
  paymentLinkPaid(event: PaymentsEvents['payment-link.paid']): Promise<void> {
    return this.record('payment-link.paid', event, event.paymentLink.id, null);
  }

  @OnPaymentEvent('payment-link.cancelled')
  paymentLinkCancelled(event: PaymentsEvents['payment-link.cancelled']): Promise<void> {
    return this.record('payment-link.cancelled', event, event.paymentLink.id, null);
  }

  @OnPaymentEvent('payment-link.expired')
  paymentLinkExpired(event: PaymentsEvents['payment-link.expired']): Promise<void> {
    return this.record('payment-link.expired', event, event.paymentLink.id, null);
  }

  @OnPaymentEvent('payment-link.failed')
  paymentLinkFailed(event: PaymentsEvents['payment-link.failed']): Promise<void> {
    return this.record('payment-link.failed', event, event.paymentLink.id, null);
  }

  @OnPaymentEvent('payment-link.needs_review')
  paymentLinkNeedsReview(event: PaymentsEvents['payment-link.needs_review']): Promise<void> {
    return this.record('payment-link.needs_review', event, event.paymentLink.id, null);
  }

  private async record(
    name: PaymentsEventName,
    { eventId, via }: { eventId: string; via: string },
    subject: string,
    paymentId: string | null,
  ): Promise<void> {
    const draw = Math.random();
    if (draw < settings.listenerFaults)
      throw new Error('a listener throws before it has done anything');
    if (draw < settings.listenerFaults * 1.3) await sleep(60_000, undefined, { ref: false });
    await received.query(
      'insert into received_event (name, event_id, subject, payment_id, via, replica) values ($1, $2, $3, $4, $5, $6)',
      [name, eventId, subject, paymentId, via, settings.name],
    );
    process.send?.({ name, subject } satisfies ReceivedMessage);
    if (draw > 1 - settings.listenerFaults)
      throw new Error('a listener throws after it has done everything');
  }
}
