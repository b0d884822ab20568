import { Injectable } from '@nestjs/common';
import { OnPaymentEvent, PaymentsService, type PaymentsEvents } from '@tillkit/payments';
import type { Payment, RequestPayment } from '@tillkit/payments';
import { Column, DataSource, Entity, type EntityManager, PrimaryColumn } from 'typeorm';
import type { HostLibrary } from '../../support/host-libraries.js';

@Entity('shop_order')
class ShopOrder {
  @PrimaryColumn('text')
  id!: string;

  @Column('integer', { default: 0 })
  paid!: number;
}

// docs/databases.md#typeorm
@Injectable()
export class Orders {
  constructor(
    private readonly dataSource: DataSource,
    private readonly payments: PaymentsService,
  ) {}

  place(id: string, input: RequestPayment): Promise<Payment> {
    return this.dataSource.transaction(async (manager) => {
      await manager.insert(ShopOrder, { id });
      return this.payments.record(input, { transaction: manager });
    });
  }

  @OnPaymentEvent('payment.succeeded', { transactional: true })
  async paid(
    { payment }: PaymentsEvents['payment.succeeded'],
    manager: EntityManager,
  ): Promise<void> {
    await manager.increment(ShopOrder, { id: payment.idempotencyKey }, 'paid', 1);
  }
}
// end

export async function open(url: string): Promise<HostLibrary> {
  const dataSource = new DataSource({ type: 'postgres', url, entities: [ShopOrder] });
  await dataSource.initialize();
  return {
    database: dataSource,
    providers: [Orders, { provide: DataSource, useValue: dataSource }],
    inTransaction: (work) => dataSource.transaction((manager) => work(manager)),
    nested: (manager: EntityManager, work) => manager.transaction((inner) => work(inner)),
    run: (manager: EntityManager, text, ...values) => manager.query(text, values),
    outside: [dataSource, dataSource.manager, dataSource.createQueryRunner()],
    sqlState: (error) => (error as { code?: string }).code,
    close: () => dataSource.destroy(),
  };
}
