import { Injectable } from '@nestjs/common';
import {
  OnPaymentEvent,
  PaymentLinksService,
  PaymentsService,
  type PaymentsEvents,
} from '@tillkit/payments';
import { TillSwitch } from '../practice/till-switch.js';
import { TillRepository } from './till-repository.js';

type Received = PaymentsEvents['till.transaction.received'];

/** Stores the money that the till receives. */
@Injectable()
export class TillListener {
  constructor(
    private readonly till: TillRepository,
    private readonly payments: PaymentsService,
    private readonly links: PaymentLinksService,
    private readonly practice: TillSwitch,
  ) {}

  @OnPaymentEvent('till.transaction.received')
  async storeTransaction(event: Received): Promise<void> {
    this.practice.check();
    const { eventId, occurredAt, transaction, webhookEventId, reversed } = event;
    const { paymentId, paymentLinkId } = event;
    const paid =
      (paymentId && (await this.payments.find(paymentId))) ||
      (paymentLinkId && (await this.links.find(paymentLinkId)));
    const order = paid ? paid.metadata?.['order'] : null;
    await this.till.add({
      eventId,
      webhookEventId,
      amount: transaction.amount,
      currency: transaction.currency,
      reference: transaction.reference,
      payer: payerName(transaction),
      phone: transaction.senderPhoneNumber,
      orderNumber: typeof order === 'number' ? order : null,
      receivedAt: transaction.originationTime ?? occurredAt,
      reversed: reversed ?? false,
    });
  }

  @OnPaymentEvent('till.transaction.reversed')
  async storeReversal({
    transaction: { reference },
  }: PaymentsEvents['till.transaction.reversed']): Promise<void> {
    if (reference) await this.till.markReversed(reference);
  }
}

/** Returns the first name and the initial of the last name. */
function payerName({
  senderFirstName,
  senderLastName,
  sendingTill,
}: Received['transaction']): string {
  if (sendingTill) return `Till ${sendingTill}`;
  // People with one name have `-` as their last name: see `splitName`.
  const initial = /^\p{L}/u.exec(senderLastName ?? '')?.[0];
  return [senderFirstName, initial && `${initial}.`].filter(Boolean).join(' ') || 'Somebody';
}
