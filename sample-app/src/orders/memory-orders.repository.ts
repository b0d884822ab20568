import { Injectable } from '@nestjs/common';
import type { Order, OrderPaid } from './order.js';
import { OrdersRepository } from './orders.repository.js';

/** Orders in this process only. */
@Injectable()
export class MemoryOrdersRepository extends OrdersRepository {
  private readonly orders = new Map<string, Order>();

  override add(order: Order): Promise<void> {
    if (!this.orders.has(order.id)) this.orders.set(order.id, order);
    return Promise.resolve();
  }

  override remove(id: string): Promise<void> {
    this.orders.delete(id);
    return Promise.resolve();
  }

  override find(id: string): Promise<Order | null> {
    return Promise.resolve(this.orders.get(id) ?? null);
  }

  override beginAttempt(id: string, attempt: number, phone: string): Promise<void> {
    const order = this.orders.get(id);
    if (order && order.attempts < attempt) {
      this.orders.set(id, { ...order, attempts: attempt, phone });
    }
    return Promise.resolve();
  }

  override markPaid(id: string, paid: OrderPaid): Promise<boolean> {
    const order = this.orders.get(id);
    if (!order || order.paid) return Promise.resolve(false);
    this.orders.set(id, { ...order, paid });
    return Promise.resolve(true);
  }
}
