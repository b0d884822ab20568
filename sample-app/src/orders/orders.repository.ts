import type { Order, OrderPaid } from './order.js';

/** Where orders are kept. Every method may be called again with the same words, and then changes nothing. */
export abstract class OrdersRepository {
  /** Adds an order, unless one with its id is there. */
  abstract add(order: Order): Promise<void>;

  /** Forgets an order for which nobody was ever asked to pay. */
  abstract remove(id: string): Promise<void>;

  abstract find(id: string): Promise<Order | null>;

  /** Notes that an attempt was begun; attempts that are older than the latest change nothing. */
  abstract beginAttempt(id: string, attempt: number, phone: string): Promise<void>;

  /** Notes the payment of an order; the first stays. Resolves with whether this was the first. */
  abstract markPaid(id: string, paid: OrderPaid): Promise<boolean>;
}
