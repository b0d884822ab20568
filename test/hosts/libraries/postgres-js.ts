import { Inject, Injectable } from '@nestjs/common';
import { OnPaymentEvent, PaymentsService, type PaymentsEvents } from '@tillkit/payments';
import type { Payment, RequestPayment } from '@tillkit/payments';
import postgres, { type Sql, type TransactionSql } from 'postgres';
import type { HostLibrary } from '../../support/host-libraries.js';

export const SQL = Symbol('SQL');

// docs/databases.md#postgresjs
@Injectable()
export class Orders {
  constructor(
    @Inject(SQL) private readonly sql: Sql,
    private readonly payments: PaymentsService,
  ) {}

  async place(id: string, input: RequestPayment): Promise<Payment> {
    return this.sql.begin(async (sql) => {
      await sql`insert into shop_order values (${id})`;
      return this.payments.record(input, { transaction: sql });
    });
  }

  @OnPaymentEvent('payment.succeeded', { transactional: true })
  async paid({ payment }: PaymentsEvents['payment.succeeded'], sql: TransactionSql): Promise<void> {
    await sql`update shop_order set paid = paid + 1 where id = ${payment.idempotencyKey}`;
  }
}
// end

export async function open(url: string): Promise<HostLibrary> {
  const sql = postgres(url, { transform: postgres.camel });
  return {
    database: sql,
    providers: [Orders, { provide: SQL, useValue: sql }],
    inTransaction: async (work) => sql.begin((transaction) => work(transaction)) as never,
    nested: async (transaction: TransactionSql, work) =>
      transaction.savepoint((inner) => work(inner)) as never,
    run: async (transaction: TransactionSql, text, ...values) => transaction.unsafe(text, values),
    outside: [sql],
    sqlState: (error) => (error as { code?: string }).code,
    close: () => sql.end(),
  };
}
