import { Injectable } from '@nestjs/common';
import { OnPaymentEvent, PaymentsService, type PaymentsEvents } from '@tillkit/payments';
import type { Payment, RequestPayment } from '@tillkit/payments';
import { DataTypes, Model, Sequelize, type Transaction } from 'sequelize';
import type { HostLibrary } from '../../support/host-libraries.js';

class ShopOrder extends Model {}

// docs/databases.md#sequelize
@Injectable()
export class Orders {
  constructor(
    private readonly sequelize: Sequelize,
    private readonly payments: PaymentsService,
  ) {}

  place(id: string, input: RequestPayment): Promise<Payment> {
    return this.sequelize.transaction(async (transaction) => {
      await ShopOrder.create({ id }, { transaction });
      return this.payments.record(input, { transaction });
    });
  }

  @OnPaymentEvent('payment.succeeded', { transactional: true })
  async paid(
    { payment }: PaymentsEvents['payment.succeeded'],
    transaction: Transaction,
  ): Promise<void> {
    const where = { id: payment.idempotencyKey };
    await ShopOrder.increment('paid', { where, transaction });
  }
}
// end

export async function open(url: string): Promise<HostLibrary> {
  const sequelize = new Sequelize(url, { logging: false });
  ShopOrder.init(
    {
      id: { type: DataTypes.TEXT, primaryKey: true },
      paid: { type: DataTypes.INTEGER, defaultValue: 0 },
    },
    { sequelize, tableName: 'shop_order', timestamps: false },
  );
  return {
    database: sequelize,
    providers: [Orders, { provide: Sequelize, useValue: sequelize }],
    inTransaction: (work) => sequelize.transaction((transaction) => work(transaction)),
    nested: (transaction: Transaction, work) =>
      sequelize.transaction({ transaction }, (inner) => work(inner)),
    run: (transaction: Transaction, text, ...bind) => sequelize.query(text, { transaction, bind }),
    outside: [sequelize],
    sqlState: (error) => (error as { parent?: { code?: string } }).parent?.code,
    close: () => sequelize.close(),
  };
}
