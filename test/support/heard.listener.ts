import { Injectable } from '@nestjs/common';
import { OnPaymentEvent, type PaymentsEventName, type PaymentsEvents } from '@tillkit/payments';

export type HeardEvent = {
  [K in PaymentsEventName]: { name: K } & PaymentsEvents[K];
}[PaymentsEventName];

/** A host's listeners that remember all they heard. */
@Injectable()
export class Heard {
  readonly events: HeardEvent[] = [];
  private waiting: {
    matches: (event: HeardEvent) => boolean;
    resolve: (event: HeardEvent) => void;
  }[] = [];

  named<K extends PaymentsEventName>(name: K): ({ name: K } & PaymentsEvents[K])[] {
    return this.events.filter((event) => event.name === name) as unknown as ({
      name: K;
    } & PaymentsEvents[K])[];
  }

  /** Resolves with the first event of a name, heard already or still to come. */
  async next<K extends PaymentsEventName>(
    name: K,
    matches: (event: PaymentsEvents[K]) => boolean = () => true,
  ): Promise<PaymentsEvents[K]> {
    const fits = (event: HeardEvent): boolean =>
      event.name === name && matches(event as unknown as PaymentsEvents[K]);
    const heard =
      this.events.find(fits) ??
      (await new Promise<HeardEvent>((resolve) => this.waiting.push({ matches: fits, resolve })));
    return heard as unknown as PaymentsEvents[K];
  }

  @OnPaymentEvent('payment.succeeded')
  succeeded(event: PaymentsEvents['payment.succeeded']): void {
    this.hear({ name: 'payment.succeeded', ...event });
  }

  @OnPaymentEvent('payment.failed')
  failed(event: PaymentsEvents['payment.failed']): void {
    this.hear({ name: 'payment.failed', ...event });
  }

  @OnPaymentEvent('payment.reversed')
  reversed(event: PaymentsEvents['payment.reversed']): void {
    this.hear({ name: 'payment.reversed', ...event });
  }

  @OnPaymentEvent('payment.needs_review')
  needsReview(event: PaymentsEvents['payment.needs_review']): void {
    this.hear({ name: 'payment.needs_review', ...event });
  }

  @OnPaymentEvent('till.transaction.received')
  received(event: PaymentsEvents['till.transaction.received']): void {
    this.hear({ name: 'till.transaction.received', ...event });
  }

  @OnPaymentEvent('incoming-payment.completed')
  incomingPayment(event: PaymentsEvents['incoming-payment.completed']): void {
    this.hear({ name: 'incoming-payment.completed', ...event });
  }

  @OnPaymentEvent('polling.completed')
  polling(event: PaymentsEvents['polling.completed']): void {
    this.hear({ name: 'polling.completed', ...event });
  }

  @OnPaymentEvent('sms-notification.completed')
  sms(event: PaymentsEvents['sms-notification.completed']): void {
    this.hear({ name: 'sms-notification.completed', ...event });
  }

  @OnPaymentEvent('delivery.unrecognised')
  unrecognised(event: PaymentsEvents['delivery.unrecognised']): void {
    this.hear({ name: 'delivery.unrecognised', ...event });
  }

  private hear(event: HeardEvent): void {
    this.events.push(event);
    const due = this.waiting.filter(({ matches }) => matches(event));
    this.waiting = this.waiting.filter((waiter) => !due.includes(waiter));
    for (const { resolve } of due) resolve(event);
  }
}
