import { Injectable } from '@nestjs/common';
import { OnPaymentEvent, PaymentsService, type PaymentsEvents } from '@tillkit/payments';
import type { Payment, RequestPayment } from '@tillkit/payments';
import {
  CamelCasePlugin,
  CompiledQuery,
  type Generated,
  Kysely,
  PostgresDialect,
  type Transaction,
} from 'kysely';
import pg from 'pg';
import type { HostLibrary } from '../../support/host-libraries.js';

interface Tables {
  shopOrder: { id: string; paid: Generated<number> };
}

// docs/databases.md#kysely
@Injectable()
export class Orders {
  constructor(
    private readonly db: Kysely<Tables>,
    private readonly payments: PaymentsService,
  ) {}

  place(id: string, input: RequestPayment): Promise<Payment> {
    return this.db.transaction().execute(async (trx) => {
      await trx.insertInto('shopOrder').values({ id }).execute();
      return this.payments.record(input, { transaction: trx });
    });
  }

  @OnPaymentEvent('payment.succeeded', { transactional: true })
  async paid(
    { payment }: PaymentsEvents['payment.succeeded'],
    trx: Transaction<Tables>,
  ): Promise<void> {
    await trx
      .updateTable('shopOrder')
      .set(({ eb }) => ({ paid: eb('paid', '+', 1) }))
      .where('id', '=', payment.idempotencyKey)
      .execute();
  }
}
// end

export async function open(url: string): Promise<HostLibrary> {
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }),
    plugins: [new CamelCasePlugin()],
  });
  const run = (trx: Transaction<Tables>, text: string, ...values: string[]): Promise<unknown> =>
    trx.executeQuery(CompiledQuery.raw(text, values));
  return {
    database: db,
    providers: [Orders, { provide: Kysely, useValue: db }],
    inTransaction: (work) => db.transaction().execute((trx) => work(trx)),
    nested: async (trx: Transaction<Tables>, work) => {
      await run(trx, 'savepoint inner_part');
      try {
        return await work(trx);
      } catch (error) {
        await run(trx, 'rollback to inner_part');
        throw error;
      }
    },
    run,
    outside: [db],
    sqlState: (error) => (error as { code?: string }).code,
    close: () => db.destroy(),
  };
}
