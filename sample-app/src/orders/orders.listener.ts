import { Injectable, Logger } from '@nestjs/common';
import { OnPaymentEvent, type Payment, type PaymentsEvents } from '@tillkit/payments';
import { ShopFeed } from '../shop.feed.js';
import { orderNumber, readAttemptKey } from './order.js';
import { OrdersRepository } from './orders.repository.js';

/** What the shop does when it hears of money. Listeners may be called more than once: each does its work once. */
@Injectable()
export class OrdersListener {
  private readonly logger = new Logger('Shop');

  constructor(
    private readonly orders: OrdersRepository,
    private readonly feed: ShopFeed,
  ) {}

  @OnPaymentEvent('payment.succeeded')
  async packOrder({
    payment,
    transaction,
    occurredAt,
  }: PaymentsEvents['payment.succeeded']): Promise<void> {
    const id = await this.orderOf(payment);
    if (!id) return;
    const isFirst = await this.orders.markPaid(id, {
      paymentId: payment.id,
      reference: transaction.reference,
      at: new Date(occurredAt),
    });
    if (isFirst) this.logger.log(`order ${orderNumber(id)} is paid: pack it`);
    this.feed.orderChanged(id);
  }

  @OnPaymentEvent('payment.failed')
  async noteFailure({ payment, reason }: PaymentsEvents['payment.failed']): Promise<void> {
    const id = await this.orderOf(payment);
    if (!id) return;
    this.logger.log(`order ${orderNumber(id)} was not paid: ${reason}`);
    this.feed.orderChanged(id);
  }

  @OnPaymentEvent('payment.reversed')
  async stopOrder({ payment }: PaymentsEvents['payment.reversed']): Promise<void> {
    const id = await this.orderOf(payment);
    if (!id) return;
    this.logger.warn(`the money of order ${orderNumber(id)} went back: do not hand it out`);
    this.feed.orderChanged(id);
  }

  @OnPaymentEvent('payment.needs_review')
  async callShopkeeper({ payment, cause }: PaymentsEvents['payment.needs_review']): Promise<void> {
    const id = await this.orderOf(payment);
    if (!id) return;
    this.logger.warn(`payment ${payment.id} of order ${orderNumber(id)} needs you: ${cause}`);
    this.feed.orderChanged(id);
  }

  /** The order of a payment. One whose last attempt was cut short before it was noted learns of it here. */
  private async orderOf({ idempotencyKey, subscriber }: Payment): Promise<string | null> {
    const key = readAttemptKey(idempotencyKey);
    if (!key) return null;
    await this.orders.beginAttempt(key.id, key.attempt, subscriber.phoneNumber);
    return key.id;
  }
}
