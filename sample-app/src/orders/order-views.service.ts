import { Injectable } from '@nestjs/common';
import { PaymentsService } from '@tillkit/payments';
import { concatMap, EMPTY, filter, merge, of, switchMap, type Observable } from 'rxjs';
import { ShopFeed } from '../shop.feed.js';
import { TillRepository } from '../till/till.repository.js';
import type { ThanksState } from '../till/till.entry.js';
import type { Order } from './order.js';
import { stageOf, type StandingOrder } from './order.stage.js';
import { OrdersService } from './orders.service.js';

/** An order as its page shows it. */
export interface OrderView extends StandingOrder {
  readonly order: Order;
  /** What became of the SMS that says thanks; null when there is none. */
  readonly thanks: ThanksState | null;
}

/** Orders with what became of their money. */
@Injectable()
export class OrderViews {
  constructor(
    private readonly orders: OrdersService,
    private readonly payments: PaymentsService,
    private readonly till: TillRepository,
    private readonly feed: ShopFeed,
  ) {}

  async find(id: string): Promise<OrderView | null> {
    const order = await this.orders.find(id);
    if (!order) return null;
    const standing = stageOf(await this.orders.paymentsOf(order));
    const reference = standing.payment?.transaction?.reference;
    const thanks = reference ? await this.till.thanksForReference(reference) : null;
    return { order, ...standing, thanks };
  }

  /** The order now and after each change: of its payment, of its attempts, of the SMS. Ends when the shop closes. */
  follow(id: string): Observable<OrderView> {
    return merge(of(id), this.feed.changesOfOrder(id)).pipe(
      switchMap(() => this.find(id)),
      // After a new attempt it is the new payment that is watched.
      switchMap((view) => (view ? merge(of(null), this.paymentChanges(view)) : EMPTY)),
      concatMap(() => this.find(id)),
      filter((view) => view !== null),
    );
  }

  private paymentChanges({ payment }: OrderView): Observable<unknown> {
    return payment ? this.payments.watch(payment.id) : EMPTY;
  }
}
