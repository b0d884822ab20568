import { Injectable } from '@nestjs/common';
import { OnPaymentEvent, PaymentsService, type PaymentsEvents } from '@tillkit/payments';
import type { Payment, RequestPayment } from '@tillkit/payments';
import { defineEntity, EntityManager, MikroORM, p, raw } from '@mikro-orm/postgresql';
import type { HostLibrary } from '../../support/host-libraries.js';

const ShopOrder = defineEntity({
  name: 'ShopOrder',
  tableName: 'shop_order',
  properties: { id: p.text().primary(), paid: p.integer().default(0) },
});

// docs/databases.md#mikroorm
@Injectable()
export class Orders {
  constructor(
    private readonly em: EntityManager,
    private readonly payments: PaymentsService,
  ) {}

  place(id: string, input: RequestPayment): Promise<Payment> {
    return this.em.fork().transactional(async (em) => {
      await em.insert(ShopOrder, { id });
      return this.payments.record(input, { transaction: em });
    });
  }

  @OnPaymentEvent('payment.succeeded', { transactional: true })
  async paid({ payment }: PaymentsEvents['payment.succeeded'], em: EntityManager): Promise<void> {
    await em.nativeUpdate(ShopOrder, payment.idempotencyKey, { paid: raw('paid + 1') });
  }
}
// end

export async function open(url: string): Promise<HostLibrary> {
  const orm = await MikroORM.init({ clientUrl: url, entities: [ShopOrder] });
  return {
    database: orm.em,
    providers: [Orders, { provide: EntityManager, useValue: orm.em }],
    inTransaction: (work) => orm.em.fork().transactional((em) => work(em)),
    nested: (em: EntityManager, work) => em.transactional((inner) => work(inner)),
    run: (em: EntityManager, text, ...values) => em.execute(text.replace(/\$\d+/g, '?'), values),
    outside: [orm.em.fork()],
    sqlState: (error) => (error as { code?: string }).code,
    close: () => orm.close(true),
  };
}
