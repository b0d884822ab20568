import { Injectable } from '@nestjs/common';
import { IdempotencyConflictError, PaymentsService, type Payment } from '@tillkit/payments';
import type { Goods } from '../goods/goods.catalogue.js';
import { ShopFeed } from '../shop.feed.js';
import { splitName, type CheckoutValues } from './checkout.form.js';
import { attemptKey, orderId, orderNumber, type Order } from './order.js';
import { stageOf } from './order.stage.js';
import { OrdersRepository } from './orders.repository.js';

/** Takes orders, and asks for their money. */
@Injectable()
export class OrdersService {
  constructor(
    private readonly orders: OrdersRepository,
    private readonly payments: PaymentsService,
    private readonly feed: ShopFeed,
  ) {}

  find(id: string): Promise<Order | null> {
    return this.orders.find(id);
  }

  /**
   * Places an order and asks for its money. The same form again is the same order and the same payment.
   * @throws PaymentsValidationError, PaymentInFlightError when nobody is asked; there is no order then
   */
  async place(ticket: string, goods: Goods, { name, phone }: CheckoutValues): Promise<string> {
    const id = orderId(ticket, goods.id, name, phone);
    // Kept first, so that whoever hears of the payment finds the order.
    await this.orders.add({
      id,
      goodsId: goods.id,
      goodsName: goods.name,
      price: goods.price,
      customer: name,
      phone,
      attempts: 1,
      placedAt: new Date(),
      paid: null,
    });
    const order = (await this.orders.find(id)) as Order;
    try {
      await this.ask(order, 1, phone);
    } catch (error) {
      if (!(await this.payments.findByIdempotencyKey(attemptKey(id, 1)))) {
        await this.orders.remove(id);
      }
      throw error;
    }
    return id;
  }

  /**
   * Asks once more, as a new payment. Does nothing unless every attempt so far has failed: money that may still come
   * must not be asked for twice.
   * @param attempt the number of the new attempt, which came with the form: pressed twice, it is the same payment
   * @throws PaymentsValidationError, PaymentInFlightError when nobody is asked
   */
  async tryAgain(order: Order, attempt: number, phone: string): Promise<void> {
    const { nextAttempt } = stageOf(await this.paymentsOf(order));
    if (attempt !== nextAttempt) return;
    try {
      await this.ask(order, attempt, phone);
    } catch (error) {
      // The same attempt with another number came first: that one counts.
      if (!(error instanceof IdempotencyConflictError)) throw error;
    }
    await this.orders.beginAttempt(order.id, attempt, phone);
    this.feed.orderChanged(order.id);
  }

  /** The payment of each attempt, oldest first. */
  async paymentsOf({ id, attempts }: Order): Promise<Payment[]> {
    const keys = Array.from({ length: attempts }, (_, index) => attemptKey(id, index + 1));
    const found = await Promise.all(keys.map((key) => this.payments.findByIdempotencyKey(key)));
    return found.filter((payment) => payment !== null);
  }

  private async ask(order: Order, attempt: number, phone: string): Promise<void> {
    await this.payments.request({
      idempotencyKey: attemptKey(order.id, attempt),
      subscriber: { ...splitName(order.customer), phoneNumber: phone },
      amount: order.price,
      metadata: { order: orderNumber(order.id) },
    });
  }
}
