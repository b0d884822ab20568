import { Injectable } from '@nestjs/common';
import {
  OperationNotCancellableError,
  PaymentLinksService,
  PaymentsService,
  RefundsService,
} from '@tillkit/payments';
import type { PoolClient } from 'pg';
import { concatMap, EMPTY, filter, merge, type Observable } from 'rxjs';
import { ShopDatabase } from '../database/shop-database.js';
import type { Goods } from '../goods/goods-catalogue.js';
import { splitName } from './checkout.form.js';
import {
  attemptKey,
  decidingPayment,
  isRefundable,
  linkKey,
  mayAskAgain,
  orderId,
  orderState,
  refundedMoney,
  refundKey,
  type Order,
  type OrderView,
} from './order.js';
import { OrdersRepository } from './orders-repository.js';

/** The customer sends this with the form of an article. */
export interface NewBasket {
  ticket: string;
  goods: Goods;
  name: string;
  phone: string;
}

/** Places orders, requests their payments, shares payment links, and refunds. */
@Injectable()
export class OrdersService {
  constructor(
    private readonly orders: OrdersRepository,
    private readonly payments: PaymentsService,
    private readonly links: PaymentLinksService,
    private readonly refunds: RefundsService,
    private readonly database: ShopDatabase,
  ) {}

  async find(id: string): Promise<OrderView | null> {
    const order = await this.orders.find(id);
    if (!order) return null;
    const keys = Array.from({ length: order.attempts }, (_, index) => attemptKey(order, index + 1));
    const found = await Promise.all(keys.map((key) => this.payments.findByIdempotencyKey(key)));
    const attempts = found.filter((attempt) => attempt !== null);
    const payment = decidingPayment(attempts);
    if (!payment) return null;
    const [link, refund] = await Promise.all([
      order.links > 0 ? this.links.findByIdempotencyKey(linkKey(order, order.links)) : null,
      order.refunds > 0 ? this.refunds.findByIdempotencyKey(refundKey(order, order.refunds)) : null,
    ]);
    return { order, attempts, payment, link, refund };
  }

  /** Emits the order now and after each change of its payment, its link and its refund. */
  follow({ order, attempts, link, refund }: OrderView): Observable<OrderView> {
    return merge(
      ...attempts.map(({ id }) => this.payments.watch(id)),
      link ? this.links.watch(link.id) : EMPTY,
      refund ? this.refunds.watch(refund.id) : EMPTY,
    ).pipe(
      concatMap(() => this.find(order.id)),
      filter((view) => view !== null),
    );
  }

  /**
   * Places an order with its payment. One transaction stores both, so neither exists without the other. The library sends the
   * payment request after the commit.
   * @param besides the payments that it passes, because their customer sees no prompt
   * @returns the id of the order; the same form has the same id
   * @throws PaymentsValidationError, PaymentInFlightError, AlreadyPaidError; then nothing is stored
   */
  async place(
    { ticket, goods, name, phone }: NewBasket,
    besides: readonly string[],
  ): Promise<string> {
    const id = orderId(ticket, goods.id, name, phone);
    await this.database.transaction(async (transaction) => {
      const { name: goodsName, price } = goods;
      const order = await this.orders.add(transaction, {
        id,
        basket: ticket,
        goods: goodsName,
        price,
        customer: name,
        phone,
      });
      if (order) await this.recordPayment(transaction, order, besides);
    });
    return id;
  }

  /**
   * Asks again, as a new payment. While a payment before may still succeed, only a customer who sees no prompt may ask.
   * @param attempt number of the attempt, from the form: a form that is sent twice makes one attempt
   * @param besides the payments that it passes, because their customer sees no prompt
   * @throws PaymentsValidationError, PaymentInFlightError, AlreadyPaidError; then nothing is stored
   */
  async tryAgain(
    view: OrderView,
    attempt: number,
    phone: string,
    besides: readonly string[],
  ): Promise<void> {
    const { order } = view;
    const isAsked = besides.length > 0 && mayAskAgain(view);
    if ((orderState(view) !== 'failed' && !isAsked) || attempt !== order.attempts + 1) return;
    await this.change(order, { ...order, attempts: attempt, phone }, (transaction, changed) =>
      this.recordPayment(transaction, changed, besides),
    );
  }

  /**
   * Makes a payment link for an order whose payment failed. While it can be paid, there is no retry: nobody pays twice. The order
   * shows the link only after the change: if a retry is first, or the shop is killed, nobody ever sees its URL.
   * @param number number of the link, from the form: a form that is sent twice makes one link
   */
  async share(view: OrderView, number: number): Promise<void> {
    const { order } = view;
    if (orderState(view) !== 'failed' || number !== order.links + 1) return;
    await this.links.request({
      idempotencyKey: linkKey(order, number),
      order: order.basket,
      amount: order.price,
      paymentReference: `Order ${order.number}`,
      note: order.goods,
      metadata: { order: order.number },
    });
    await this.change(order, { ...order, links: number });
  }

  /** Cancels the link of an order. If somebody has paid it first, the order is paid. */
  async stopSharing({ link }: OrderView): Promise<void> {
    if (!link) return;
    try {
      await this.links.cancel(link.id);
    } catch (error) {
      // The link is settled already, or not made yet. The page shows which.
      if (!(error instanceof OperationNotCancellableError)) throw error;
    }
  }

  /**
   * Sends the whole money of a paid order back.
   * @param number number of the refund, from the form: a form that is sent twice makes one refund
   * @throws NotRefundableError when the money went back, may do so, or is too old; then nothing is stored
   */
  async refund(view: OrderView, number: number): Promise<void> {
    const { order } = view;
    if (!isRefundable(view) || number !== order.refunds + 1) return;
    const request = {
      ...refundedMoney(view),
      idempotencyKey: refundKey(order, number),
      why: `The shop refunds order ${order.number}`,
      metadata: { order: order.number },
    };
    await this.change(order, { ...order, refunds: number }, (transaction) =>
      this.refunds.record(request, { transaction }),
    );
  }

  /** Changes an order, unless another request was first. The records of the change are stored in the same transaction. */
  private async change(
    before: Order,
    after: Order,
    record?: (transaction: PoolClient, changed: Order) => Promise<unknown>,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const changed = await this.orders.change(transaction, before, after);
      if (changed) await record?.(transaction, changed);
    });
  }

  private async recordPayment(
    transaction: PoolClient,
    order: Order,
    besides: readonly string[],
  ): Promise<void> {
    await this.payments.record(
      {
        idempotencyKey: attemptKey(order, order.attempts),
        order: order.basket,
        besides: [...besides],
        subscriber: { ...splitName(order.customer), phoneNumber: order.phone },
        amount: order.price,
        metadata: { order: order.number },
      },
      { transaction },
    );
  }
}
