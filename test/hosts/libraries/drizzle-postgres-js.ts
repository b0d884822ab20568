import { Inject, Injectable } from '@nestjs/common';
import { OnPaymentEvent, PaymentsService, type PaymentsEvents } from '@tillkit/payments';
import type { Payment, RequestPayment } from '@tillkit/payments';
import { sql } from 'drizzle-orm';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import type { HostLibrary } from '../../support/host-libraries.js';
import { DATABASE, drizzled } from './drizzle.js';

type Transaction = Parameters<Parameters<PostgresJsDatabase['transaction']>[0]>[0];

@Injectable()
class Orders {
  constructor(
    @Inject(DATABASE) private readonly db: PostgresJsDatabase,
    private readonly payments: PaymentsService,
  ) {}

  place(id: string, input: RequestPayment): Promise<Payment> {
    return this.db.transaction(async (tx) => {
      await tx.execute(sql`insert into shop_order values (${id})`);
      return this.payments.record(input, { transaction: tx });
    });
  }

  @OnPaymentEvent('payment.succeeded', { transactional: true })
  async paid({ payment }: PaymentsEvents['payment.succeeded'], tx: Transaction): Promise<void> {
    await tx.execute(
      sql`update shop_order set paid = paid + 1 where id = ${payment.idempotencyKey}`,
    );
  }
}

export async function open(url: string): Promise<HostLibrary> {
  const client = postgres(url);
  const db = drizzle(client);
  return {
    database: db,
    providers: [Orders, { provide: DATABASE, useValue: db }],
    inTransaction: (work) => db.transaction((tx) => work(tx)),
    nested: (tx: Transaction, work) => tx.transaction((inner) => work(inner)),
    run: (tx: Transaction, statement, ...values) => tx.execute(drizzled(statement, values)),
    outside: [db],
    sqlState: (error) => (error as { cause?: { code?: string } }).cause?.code,
    close: () => client.end(),
  };
}
