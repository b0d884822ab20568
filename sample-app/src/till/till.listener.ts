import { Injectable } from '@nestjs/common';
import { OnPaymentEvent, PaymentsService, type PaymentsEvents } from '@tillkit/payments';
import { orderNumber, readAttemptKey } from '../orders/order.js';
import { ShopFeed } from '../shop.feed.js';
import { TillRepository } from './till.repository.js';

/** Writes down what the till receives. */
@Injectable()
export class TillListener {
  constructor(
    private readonly till: TillRepository,
    private readonly payments: PaymentsService,
    private readonly feed: ShopFeed,
  ) {}

  @OnPaymentEvent('till.transaction.received')
  async writeDown({
    eventId,
    occurredAt,
    transaction,
    webhookEventId,
    paymentId,
  }: PaymentsEvents['till.transaction.received']): Promise<void> {
    const payment = paymentId ? await this.payments.find(paymentId) : null;
    const order = payment && readAttemptKey(payment.idempotencyKey);
    await this.till.add({
      id: eventId,
      amount: transaction.amount,
      currency: transaction.currency,
      reference: transaction.reference,
      payer: payerName(transaction),
      phone: transaction.senderPhoneNumber,
      receivedAt: transaction.originationTime ?? occurredAt,
      webhookEventId,
      paymentId,
      orderNumber: order && orderNumber(order.id),
    });
    this.feed.tillChanged();
    if (order) this.feed.orderChanged(order.id);
  }
}

/** The first name, and the first letter of the last: what a shopkeeper calls across the counter. */
function payerName({
  senderFirstName,
  senderLastName,
  sendingTill,
}: PaymentsEvents['till.transaction.received']['transaction']): string {
  if (sendingTill) return `Till ${sendingTill}`;
  const initial = Array.from(senderLastName ?? '')[0];
  return [senderFirstName, initial && `${initial}.`].filter(Boolean).join(' ') || 'Somebody';
}
