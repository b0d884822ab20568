import { Injectable } from '@nestjs/common';
import type { Order, OrderPaid } from '../orders/order.js';
import { OrdersRepository } from '../orders/orders.repository.js';
import { ShopDatabase } from './shop.database.js';

type StoredOrder = Omit<Order, 'placedAt' | 'paid'> & {
  placedAt: string;
  paid: (Omit<OrderPaid, 'at'> & { at: string }) | null;
};

/** Orders that a restart does not forget. */
@Injectable()
export class PostgresOrdersRepository extends OrdersRepository {
  constructor(private readonly database: ShopDatabase) {
    super();
  }

  override async add(order: Order): Promise<void> {
    await this.query(
      'insert into shop.orders (id, document) values ($1, $2) on conflict do nothing',
      [order.id, JSON.stringify(order)],
    );
  }

  override async remove(id: string): Promise<void> {
    await this.query('delete from shop.orders where id = $1', [id]);
  }

  override async find(id: string): Promise<Order | null> {
    const [row] = await this.query('select document from shop.orders where id = $1', [id]);
    return row ? revive(row.document) : null;
  }

  override async beginAttempt(id: string, attempt: number, phone: string): Promise<void> {
    await this.query(
      `update shop.orders set document = document || jsonb_build_object('attempts', $2::int, 'phone', $3::text)
       where id = $1 and (document ->> 'attempts')::int < $2::int`,
      [id, attempt, phone],
    );
  }

  override async markPaid(id: string, paid: OrderPaid): Promise<boolean> {
    const marked = await this.query(
      `update shop.orders set document = jsonb_set(document, '{paid}', $2::jsonb)
       where id = $1 and document -> 'paid' = 'null'::jsonb returning document`,
      [id, JSON.stringify(paid)],
    );
    return marked.length > 0;
  }

  private async query(text: string, values: unknown[]): Promise<{ document: StoredOrder }[]> {
    return (await this.database.pool.query<{ document: StoredOrder }>(text, values)).rows;
  }
}

function revive({ placedAt, paid, ...order }: StoredOrder): Order {
  return {
    ...order,
    placedAt: new Date(placedAt),
    paid: paid && { ...paid, at: new Date(paid.at) },
  };
}
