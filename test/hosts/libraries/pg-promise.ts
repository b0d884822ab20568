import { Inject, Injectable } from '@nestjs/common';
import { OnPaymentEvent, PaymentsService, type PaymentsEvents } from '@tillkit/payments';
import type { Payment, RequestPayment } from '@tillkit/payments';
import pgPromise, { type IDatabase, type ITask } from 'pg-promise';
import type { HostLibrary } from '../../support/host-libraries.js';

export const DATABASE = Symbol('DATABASE');

// docs/databases.md#pg-promise
@Injectable()
export class Orders {
  constructor(
    @Inject(DATABASE) private readonly db: IDatabase<object>,
    private readonly payments: PaymentsService,
  ) {}

  place(id: string, input: RequestPayment): Promise<Payment> {
    return this.db.tx(async (t) => {
      await t.none('insert into shop_order values ($1)', [id]);
      return this.payments.record(input, { transaction: t });
    });
  }

  @OnPaymentEvent('payment.succeeded', { transactional: true })
  async paid({ payment }: PaymentsEvents['payment.succeeded'], t: ITask<object>): Promise<void> {
    await t.none('update shop_order set paid = paid + 1 where id = $1', [payment.idempotencyKey]);
  }
}
// end

export async function open(url: string): Promise<HostLibrary> {
  const db = pgPromise({ noWarnings: true })(url);
  return {
    database: db,
    providers: [Orders, { provide: DATABASE, useValue: db }],
    inTransaction: (work) => db.tx((t) => work(t)),
    nested: (t: ITask<object>, work) => t.tx((inner) => work(inner)),
    run: (t: ITask<object>, text, ...values) => t.any(text, values),
    outside: [db],
    sqlState: (error) => (error as { code?: string }).code,
    close: () => db.$pool.end(),
  };
}
