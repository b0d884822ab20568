import { Injectable, Logger } from '@nestjs/common';
import { OnPaymentEvent, type Payment, type PaymentsEvents } from '@tillkit/payments';
import { OrdersRepository } from './orders-repository.js';

/** Acts on the events of payments. The library may call a listener twice for one event, so each listener is idempotent. */
@Injectable()
export class OrdersListener {
  private readonly logger = new Logger('Shop');

  constructor(private readonly orders: OrdersRepository) {}

  @OnPaymentEvent('payment.succeeded')
  packOrder({ payment }: PaymentsEvents['payment.succeeded']): Promise<void> {
    return this.pack(payment);
  }

  @OnPaymentEvent('payment-link.paid')
  packSharedOrder({ paymentLink }: PaymentsEvents['payment-link.paid']): Promise<void> {
    return this.pack(paymentLink);
  }

  @OnPaymentEvent('payment.failed')
  logFailure({ payment, reason }: PaymentsEvents['payment.failed']): void {
    this.logger.log(`order ${orderOf(payment)} is not paid: ${reason}`);
  }

  @OnPaymentEvent('payment.reversed')
  stopOrder({ payment }: PaymentsEvents['payment.reversed']): void {
    this.logger.warn(
      `the payment of order ${orderOf(payment)} was reversed: do not hand the goods out`,
    );
  }

  @OnPaymentEvent('payment-link.reversed')
  stopSharedOrder({ paymentLink }: PaymentsEvents['payment-link.reversed']): void {
    this.logger.warn(
      `the payment of order ${orderOf(paymentLink)} was reversed: do not hand the goods out`,
    );
  }

  /** An operator decides on the dashboard or with `payments.resolve()`. */
  @OnPaymentEvent('payment.needs_review')
  callShopkeeper({ payment, cause }: PaymentsEvents['payment.needs_review']): void {
    this.logger.warn(
      `payment ${payment.id} of order ${orderOf(payment)} needs your decision: ${cause}`,
    );
  }

  @OnPaymentEvent('payment-link.needs_review')
  checkLink({ paymentLink, cause }: PaymentsEvents['payment-link.needs_review']): void {
    this.logger.warn(
      `payment link ${paymentLink.id} of order ${orderOf(paymentLink)} needs your decision: ${cause}`,
    );
  }

  /** The reversal of the payment stops the order itself, and it has its own event. */
  @OnPaymentEvent('refund.succeeded')
  logRefund({ refund }: PaymentsEvents['refund.succeeded']): void {
    this.logger.log(`order ${orderOf(refund)} is refunded`);
  }

  @OnPaymentEvent('refund.failed')
  logFailedRefund({ refund, reason }: PaymentsEvents['refund.failed']): void {
    this.logger.warn(`order ${orderOf(refund)} is not refunded: ${reason}`);
  }

  @OnPaymentEvent('refund.needs_review')
  checkRefund({ refund, cause }: PaymentsEvents['refund.needs_review']): void {
    this.logger.warn(
      `refund ${refund.id} of order ${orderOf(refund)} needs your decision: ${cause}`,
    );
  }

  private async pack(paid: OfOrder): Promise<void> {
    const number = Number(orderOf(paid));
    const { before } = await this.orders.markPaid(number, paid.id);
    if (before === null) this.logger.log(`order ${number} is paid: pack it`);
    // The customer saw no prompt, so a second one was sent, and both were paid.
    else if (before !== paid.id)
      this.logger.warn(`order ${number} is paid twice: refund ${paid.id}, and keep ${before}`);
  }
}

type OfOrder = Pick<Payment, 'id' | 'metadata'>;

/** Returns the number of the order that a payment, link or refund belongs to. */
function orderOf({ metadata }: OfOrder): string {
  return String(metadata?.['order']);
}
