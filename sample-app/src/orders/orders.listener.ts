import { Injectable, Logger } from '@nestjs/common';
import { OnPaymentEvent, type PaymentsEvents } from '@tillkit/payments';
import { OrdersRepository } from './orders.repository.js';

/** Acts on the events of payments. The library may call a listener twice for one event, so each listener is idempotent. */
@Injectable()
export class OrdersListener {
  private readonly logger = new Logger('Shop');

  constructor(private readonly orders: OrdersRepository) {}

  @OnPaymentEvent('payment.succeeded')
  async packOrder({ payment }: PaymentsEvents['payment.succeeded']): Promise<void> {
    const number = Number(payment.metadata?.['order']);
    const isFirst = await this.orders.markPaid(number);
    if (isFirst) this.logger.log(`order ${number} is paid: pack it`);
  }

  @OnPaymentEvent('payment.failed')
  logFailure({ payment, reason }: PaymentsEvents['payment.failed']): void {
    this.logger.log(`order ${String(payment.metadata?.['order'])} is not paid: ${reason}`);
  }

  @OnPaymentEvent('payment.reversed')
  stopOrder({ payment }: PaymentsEvents['payment.reversed']): void {
    const number = String(payment.metadata?.['order']);
    this.logger.warn(`the payment of order ${number} was reversed: do not hand the goods out`);
  }

  /** An operator decides on the dashboard or with `payments.resolve()`. */
  @OnPaymentEvent('payment.needs_review')
  callShopkeeper({ payment, cause }: PaymentsEvents['payment.needs_review']): void {
    const number = String(payment.metadata?.['order']);
    this.logger.warn(`payment ${payment.id} of order ${number} needs your decision: ${cause}`);
  }
}
