import { Injectable } from '@nestjs/common';
import { OnPaymentEvent, type PaymentsEventName, type PaymentsEvents } from '@tillkit/payments';

export type RecordedEvent = {
  [K in PaymentsEventName]: { name: K } & PaymentsEvents[K];
}[PaymentsEventName];

/** A host's listeners that record every event. */
@Injectable()
export class RecordedEvents {
  readonly events: RecordedEvent[] = [];
  private waiting: {
    matches: (event: RecordedEvent) => boolean;
    resolve: (event: RecordedEvent) => void;
  }[] = [];

  named<K extends PaymentsEventName>(name: K): ({ name: K } & PaymentsEvents[K])[] {
    return this.events.filter((event) => event.name === name) as unknown as ({
      name: K;
    } & PaymentsEvents[K])[];
  }

  /** Resolves with the first event of a name, as soon as it is recorded. */
  async next<K extends PaymentsEventName>(
    name: K,
    matches: (event: PaymentsEvents[K]) => boolean = () => true,
  ): Promise<PaymentsEvents[K]> {
    const fits = (event: RecordedEvent): boolean =>
      event.name === name && matches(event as unknown as PaymentsEvents[K]);
    const recorded =
      this.events.find(fits) ??
      (await new Promise<RecordedEvent>((resolve) =>
        this.waiting.push({ matches: fits, resolve }),
      ));
    return recorded as unknown as PaymentsEvents[K];
  }

  @OnPaymentEvent('payment.succeeded')
  succeeded(event: PaymentsEvents['payment.succeeded']): void {
    this.record({ name: 'payment.succeeded', ...event });
  }

  @OnPaymentEvent('payment.failed')
  failed(event: PaymentsEvents['payment.failed']): void {
    this.record({ name: 'payment.failed', ...event });
  }

  @OnPaymentEvent('payment.reversed')
  reversed(event: PaymentsEvents['payment.reversed']): void {
    this.record({ name: 'payment.reversed', ...event });
  }

  @OnPaymentEvent('payment.needs_review')
  needsReview(event: PaymentsEvents['payment.needs_review']): void {
    this.record({ name: 'payment.needs_review', ...event });
  }

  @OnPaymentEvent('till.transaction.received')
  received(event: PaymentsEvents['till.transaction.received']): void {
    this.record({ name: 'till.transaction.received', ...event });
  }

  @OnPaymentEvent('incoming-payment.completed')
  incomingPayment(event: PaymentsEvents['incoming-payment.completed']): void {
    this.record({ name: 'incoming-payment.completed', ...event });
  }

  @OnPaymentEvent('polling.completed')
  polling(event: PaymentsEvents['polling.completed']): void {
    this.record({ name: 'polling.completed', ...event });
  }

  @OnPaymentEvent('sms-notification.completed')
  sms(event: PaymentsEvents['sms-notification.completed']): void {
    this.record({ name: 'sms-notification.completed', ...event });
  }

  @OnPaymentEvent('send-money.completed')
  sendMoney(event: PaymentsEvents['send-money.completed']): void {
    this.record({ name: 'send-money.completed', ...event });
  }

  @OnPaymentEvent('reversal.completed')
  reversal(event: PaymentsEvents['reversal.completed']): void {
    this.record({ name: 'reversal.completed', ...event });
  }

  @OnPaymentEvent('bare-payment-link.completed')
  paymentLink(event: PaymentsEvents['bare-payment-link.completed']): void {
    this.record({ name: 'bare-payment-link.completed', ...event });
  }

  @OnPaymentEvent('settlement-transfer.completed')
  settlementTransfer(event: PaymentsEvents['settlement-transfer.completed']): void {
    this.record({ name: 'settlement-transfer.completed', ...event });
  }

  @OnPaymentEvent('pay.completed')
  pay(event: PaymentsEvents['pay.completed']): void {
    this.record({ name: 'pay.completed', ...event });
  }

  @OnPaymentEvent('payout.succeeded')
  payoutSucceeded(event: PaymentsEvents['payout.succeeded']): void {
    this.record({ name: 'payout.succeeded', ...event });
  }

  @OnPaymentEvent('payout.partially-succeeded')
  payoutPartiallySucceeded(event: PaymentsEvents['payout.partially-succeeded']): void {
    this.record({ name: 'payout.partially-succeeded', ...event });
  }

  @OnPaymentEvent('payout.failed')
  payoutFailed(event: PaymentsEvents['payout.failed']): void {
    this.record({ name: 'payout.failed', ...event });
  }

  @OnPaymentEvent('payout.needs_review')
  payoutNeedsReview(event: PaymentsEvents['payout.needs_review']): void {
    this.record({ name: 'payout.needs_review', ...event });
  }

  @OnPaymentEvent('refund.succeeded')
  refundSucceeded(event: PaymentsEvents['refund.succeeded']): void {
    this.record({ name: 'refund.succeeded', ...event });
  }

  @OnPaymentEvent('refund.failed')
  refundFailed(event: PaymentsEvents['refund.failed']): void {
    this.record({ name: 'refund.failed', ...event });
  }

  @OnPaymentEvent('refund.needs_review')
  refundNeedsReview(event: PaymentsEvents['refund.needs_review']): void {
    this.record({ name: 'refund.needs_review', ...event });
  }

  @OnPaymentEvent('payment-link.paid')
  paymentLinkPaid(event: PaymentsEvents['payment-link.paid']): void {
    this.record({ name: 'payment-link.paid', ...event });
  }

  @OnPaymentEvent('payment-link.cancelled')
  paymentLinkCancelled(event: PaymentsEvents['payment-link.cancelled']): void {
    this.record({ name: 'payment-link.cancelled', ...event });
  }

  @OnPaymentEvent('payment-link.expired')
  paymentLinkExpired(event: PaymentsEvents['payment-link.expired']): void {
    this.record({ name: 'payment-link.expired', ...event });
  }

  @OnPaymentEvent('payment-link.failed')
  paymentLinkFailed(event: PaymentsEvents['payment-link.failed']): void {
    this.record({ name: 'payment-link.failed', ...event });
  }

  @OnPaymentEvent('payment-link.reversed')
  paymentLinkReversed(event: PaymentsEvents['payment-link.reversed']): void {
    this.record({ name: 'payment-link.reversed', ...event });
  }

  @OnPaymentEvent('payment-link.needs_review')
  paymentLinkNeedsReview(event: PaymentsEvents['payment-link.needs_review']): void {
    this.record({ name: 'payment-link.needs_review', ...event });
  }

  @OnPaymentEvent('till.transaction.reversed')
  tillTransactionReversed(event: PaymentsEvents['till.transaction.reversed']): void {
    this.record({ name: 'till.transaction.reversed', ...event });
  }

  @OnPaymentEvent('customer.created')
  customerCreated(event: PaymentsEvents['customer.created']): void {
    this.record({ name: 'customer.created', ...event });
  }

  @OnPaymentEvent('settlement.completed')
  settlementCompleted(event: PaymentsEvents['settlement.completed']): void {
    this.record({ name: 'settlement.completed', ...event });
  }

  @OnPaymentEvent('merchant-transaction.received')
  merchantTransactionReceived(event: PaymentsEvents['merchant-transaction.received']): void {
    this.record({ name: 'merchant-transaction.received', ...event });
  }

  @OnPaymentEvent('delivery.unrecognised')
  unrecognised(event: PaymentsEvents['delivery.unrecognised']): void {
    this.record({ name: 'delivery.unrecognised', ...event });
  }

  private record(event: RecordedEvent): void {
    this.events.push(event);
    const due = this.waiting.filter(({ matches }) => matches(event));
    this.waiting = this.waiting.filter((waiter) => !due.includes(waiter));
    for (const { resolve } of due) resolve(event);
  }
}
