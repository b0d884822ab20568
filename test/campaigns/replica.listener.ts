import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { OnPaymentEvent, type PaymentsEventName, type PaymentsEvents } from '@tillkit/payments';
import { received, settings } from './replica.context.js';
import type { ReceivedMessage } from './replica.settings.js';

/** Writes down all that is received, and fails as often as it was asked to. */
@Injectable()
export class ReplicaListener {
  @OnPaymentEvent('payment.succeeded')
  succeeded(event: PaymentsEvents['payment.succeeded']): Promise<void> {
    return this.hear('payment.succeeded', event, event.payment.id, event.payment.id);
  }

  @OnPaymentEvent('payment.failed')
  failed(event: PaymentsEvents['payment.failed']): Promise<void> {
    return this.hear('payment.failed', event, event.payment.id, event.payment.id);
  }

  @OnPaymentEvent('payment.needs_review')
  review(event: PaymentsEvents['payment.needs_review']): Promise<void> {
    return this.hear('payment.needs_review', event, event.payment.id, event.payment.id);
  }

  @OnPaymentEvent('payment.reversed')
  reversed(event: PaymentsEvents['payment.reversed']): Promise<void> {
    return this.hear('payment.reversed', event, event.payment.id, event.payment.id);
  }

  @OnPaymentEvent('till.transaction.received')
  moneyCame(event: PaymentsEvents['till.transaction.received']): Promise<void> {
    const { reference } = event.transaction;
    return this.hear('till.transaction.received', event, reference ?? '', event.paymentId);
  }

  @OnPaymentEvent('till.transaction.reversed')
  moneyWentBack(event: PaymentsEvents['till.transaction.reversed']): Promise<void> {
    const { reference } = event.transaction;
    return this.hear('till.transaction.reversed', event, reference ?? '', event.paymentId);
  }

  private async hear(
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
