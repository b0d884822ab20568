import { Injectable } from '@nestjs/common';
import { PaymentsService, type Payment } from '@tillkit/payments';
import type { PoolClient } from 'pg';
import { concatMap, filter, type Observable } from 'rxjs';
import { ShopDatabase } from '../database/shop.database.js';
import type { Goods } from '../goods/goods.catalogue.js';
import { splitName } from './checkout.form.js';
import { attemptKey, decidingPayment, orderId, type Order } from './order.js';
import { OrdersRepository } from './orders.repository.js';

/** An order and the payment that decides its state. */
export interface OrderView {
  readonly order: Order;
  readonly payment: Payment;
}

/** Places orders and requests their payments. */
@Injectable()
export class OrdersService {
  constructor(
    private readonly orders: OrdersRepository,
    private readonly payments: PaymentsService,
    private readonly database: ShopDatabase,
  ) {}

  async find(id: string): Promise<OrderView | null> {
    const order = await this.orders.find(id);
    if (!order) return null;
    const keys = Array.from({ length: order.attempts }, (_, index) => attemptKey(order, index + 1));
    const found = await Promise.all(keys.map((key) => this.payments.findByIdempotencyKey(key)));
    const payment = decidingPayment(found.filter((attempt) => attempt !== null));
    return payment ? { order, payment } : null;
  }

  /** The order now and after each change of its payment. */
  follow({ order, payment }: OrderView): Observable<OrderView> {
    return this.payments.watch(payment.id).pipe(
      concatMap(() => this.find(order.id)),
      filter((view) => view !== null),
    );
  }

  /**
   * Places an order with its payment. One transaction stores both, so neither exists without the other. The library sends the
   * payment request after the commit.
   * @returns the id of the order; the same form has the same id
   * @throws PaymentsValidationError, PaymentInFlightError; then nothing is stored
   */
  async place(ticket: string, goods: Goods, name: string, phone: string): Promise<string> {
    const id = orderId(ticket, goods.id, name, phone);
    await this.database.transaction(async (transaction) => {
      const { name: goodsName, price } = goods;
      const order = await this.orders.add(transaction, {
        id,
        goods: goodsName,
        price,
        customer: name,
        phone,
      });
      if (order) await this.recordPayment(transaction, order);
    });
    return id;
  }

  /**
   * Retries a failed payment as a new payment. Any other payment may still succeed, so it cannot be retried.
   * @param attempt number of the attempt, from the form: a form that is sent twice makes one attempt
   * @throws PaymentsValidationError, PaymentInFlightError; then nothing is stored
   */
  async tryAgain({ order, payment }: OrderView, attempt: number, phone: string): Promise<void> {
    if (payment.state !== 'failed' || attempt !== order.attempts + 1) return;
    await this.database.transaction(async (transaction) => {
      const updated = await this.orders.beginAttempt(transaction, order.id, attempt, phone);
      if (updated) await this.recordPayment(transaction, updated);
    });
  }

  private async recordPayment(transaction: PoolClient, order: Order): Promise<void> {
    await this.payments.record(
      {
        idempotencyKey: attemptKey(order, order.attempts),
        subscriber: { ...splitName(order.customer), phoneNumber: order.phone },
        amount: order.price,
        metadata: { order: order.number },
      },
      { transaction },
    );
  }
}
