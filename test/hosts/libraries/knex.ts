import { Inject, Injectable } from '@nestjs/common';
import { OnPaymentEvent, PaymentsService, type PaymentsEvents } from '@tillkit/payments';
import type { Payment, RequestPayment } from '@tillkit/payments';
import knex, { type Knex } from 'knex';
import type { HostLibrary } from '../../support/host-libraries.js';

export const KNEX = Symbol('KNEX');

// docs/databases.md#knex
@Injectable()
export class Orders {
  constructor(
    @Inject(KNEX) private readonly knex: Knex,
    private readonly payments: PaymentsService,
  ) {}

  place(id: string, input: RequestPayment): Promise<Payment> {
    return this.knex.transaction(async (trx) => {
      await trx('shop_order').insert({ id });
      return this.payments.record(input, { transaction: trx });
    });
  }

  @OnPaymentEvent('payment.succeeded', { transactional: true })
  async paid(
    { payment }: PaymentsEvents['payment.succeeded'],
    trx: Knex.Transaction,
  ): Promise<void> {
    await trx('shop_order').where({ id: payment.idempotencyKey }).increment('paid', 1);
  }
}
// end

export async function open(url: string): Promise<HostLibrary> {
  const db = knex({ client: 'pg', connection: url });
  return {
    database: db,
    providers: [Orders, { provide: KNEX, useValue: db }],
    inTransaction: (work) => db.transaction((trx) => work(trx)),
    nested: (trx: Knex.Transaction, work) => trx.transaction((inner) => work(inner)),
    run: async (trx: Knex.Transaction, text, ...values): Promise<unknown> => {
      return trx.raw<unknown>(text.replace(/\$\d+/g, '?'), values);
    },
    outside: [db],
    sqlState: (error) => (error as { code?: string }).code,
    close: () => db.destroy(),
  };
}
