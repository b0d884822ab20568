import { Inject, Injectable } from '@nestjs/common';
import { OnPaymentEvent, PaymentsService, type PaymentsEvents } from '@tillkit/payments';
import type { Payment, RequestPayment } from '@tillkit/payments';
import { eq, sql } from 'drizzle-orm';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import pg from 'pg';
import type { HostLibrary } from '../../support/host-libraries.js';

const orders = pgTable('shop_order', {
  id: text().primaryKey(),
  paid: integer().notNull().default(0),
});

export const DATABASE = Symbol('DATABASE');

// docs/databases.md#drizzle
type Transaction = Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0];

@Injectable()
export class Orders {
  constructor(
    @Inject(DATABASE) private readonly db: NodePgDatabase,
    private readonly payments: PaymentsService,
  ) {}

  place(id: string, input: RequestPayment): Promise<Payment> {
    return this.db.transaction(async (tx) => {
      await tx.insert(orders).values({ id });
      return this.payments.record(input, { transaction: tx });
    });
  }

  @OnPaymentEvent('payment.succeeded', { transactional: true })
  async paid({ payment }: PaymentsEvents['payment.succeeded'], tx: Transaction): Promise<void> {
    const paid = sql`${orders.paid} + 1`;
    await tx.update(orders).set({ paid }).where(eq(orders.id, payment.idempotencyKey));
  }
}
// end

/** Returns a statement of Drizzle for a text with `$1`, `$2`. */
export function drizzled(statement: string, values: readonly string[]): ReturnType<typeof sql> {
  const parts = statement.split(/\$(\d+)/);
  const chunks = parts.map((part, index) =>
    index % 2 ? sql`${values[Number(part) - 1]}` : sql.raw(part),
  );
  return sql.join(chunks);
}

export async function open(url: string): Promise<HostLibrary> {
  const pool = new pg.Pool({ connectionString: url });
  const db = drizzle(pool);
  return {
    database: db,
    providers: [Orders, { provide: DATABASE, useValue: db }],
    inTransaction: (work) => db.transaction((tx) => work(tx)),
    nested: (tx: Transaction, work) => tx.transaction((inner) => work(inner)),
    run: (tx: Transaction, statement, ...values) => tx.execute(drizzled(statement, values)),
    outside: [db],
    sqlState: (error) => (error as { cause?: { code?: string } }).cause?.code,
    close: () => pool.end(),
  };
}
