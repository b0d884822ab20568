import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { ShopDatabase } from '../database/shop-database.js';
import type { Order } from './order.js';

export type NewOrder = Omit<Order, 'number' | 'attempts' | 'links' | 'refunds'>;

type OrderRow = Omit<Order, 'price'> & { currency: string; price: string };

const COLUMNS =
  'id, number, basket, goods, currency, price, customer, phone, attempts, links, refunds';

@Injectable()
export class OrdersRepository {
  constructor(private readonly database: ShopDatabase) {}

  async find(id: string): Promise<Order | null> {
    const rows = await this.database.query<OrderRow>(
      `select ${COLUMNS} from shop.orders where id = $1`,
      [id],
    );
    return toOrder(rows[0]);
  }

  /** Adds an order; null if an order with its id exists. */
  async add(transaction: PoolClient, order: NewOrder): Promise<Order | null> {
    const { id, basket, goods, price, customer, phone } = order;
    const { rows } = await transaction.query<OrderRow>(
      `insert into shop.orders (id, basket, goods, currency, price, customer, phone)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict (id) do nothing returning ${COLUMNS}`,
      [id, basket, goods, price.currency, price.value, customer, phone],
    );
    return toOrder(rows[0]);
  }

  /** Changes an order. Returns null when another request has changed it first. */
  async change(transaction: PoolClient, before: Order, after: Order): Promise<Order | null> {
    const { rows } = await transaction.query<OrderRow>(
      `update shop.orders set attempts = $2, links = $3, refunds = $4, phone = $5
       where id = $1 and (attempts, links, refunds) = ($6, $7, $8) returning ${COLUMNS}`,
      [
        before.id,
        after.attempts,
        after.links,
        after.refunds,
        after.phone,
        before.attempts,
        before.links,
        before.refunds,
      ],
    );
    return toOrder(rows[0]);
  }

  /** Marks an order as paid by a payment or link. `before` is the one that had already paid it, or null. */
  async markPaid(number: number, by: string): Promise<{ before: string | null }> {
    const marked = await this.database.query(
      'update shop.orders set paid_at = now(), paid_with = $2 where number = $1 and paid_at is null returning number',
      [number, by],
    );
    if (marked.length > 0) return { before: null };
    const [paid] = await this.database.query<{ paid_with: string }>(
      'select paid_with from shop.orders where number = $1',
      [number],
    );
    return { before: paid?.paid_with ?? null };
  }
}

function toOrder(row: OrderRow | undefined): Order | null {
  if (!row) return null;
  const { currency, price, ...order } = row;
  return { ...order, price: { currency, value: price } };
}
