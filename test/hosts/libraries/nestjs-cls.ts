import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { OnPaymentEvent, PaymentsService, type PaymentsEvents } from '@tillkit/payments';
import type { Payment, RequestPayment } from '@tillkit/payments';
import {
  ClsPluginTransactional,
  Propagation,
  Transactional,
  TransactionHost,
} from '@nestjs-cls/transactional';
import { TransactionalAdapterPrisma } from '@nestjs-cls/transactional-adapter-prisma';
import { ClsModule } from 'nestjs-cls';
import { PrismaClient } from '../generated/prisma/client.js';
import type { HostLibrary } from '../../support/host-libraries.js';
import { open as openPrisma } from './prisma.js';

type Host = TransactionHost<TransactionalAdapterPrisma<PrismaClient>>;

// docs/databases.md#nestjs-clstransactional
@Injectable()
export class Orders {
  constructor(
    private readonly host: TransactionHost<TransactionalAdapterPrisma<PrismaClient>>,
    private readonly payments: PaymentsService,
  ) {}

  @Transactional()
  async place(id: string, input: RequestPayment): Promise<Payment> {
    await this.host.tx.shopOrder.create({ data: { id } });
    return this.payments.record(input, { transaction: this.host.tx });
  }

  @OnPaymentEvent('payment.succeeded', { transactional: true })
  async paid({ payment }: PaymentsEvents['payment.succeeded']): Promise<void> {
    const where = { id: payment.idempotencyKey };
    await this.host.tx.shopOrder.update({ where, data: { paid: { increment: 1 } } });
  }
}
// end

export async function open(url: string): Promise<HostLibrary> {
  const library = await openPrisma(url);
  const prisma = { provide: PrismaClient, useValue: library.database };
  const plugin = new ClsPluginTransactional({
    adapter: new TransactionalAdapterPrisma({ prismaInjectionToken: PrismaClient }),
    imports: [{ module: class PrismaModule {}, providers: [prisma], exports: [PrismaClient] }],
  });
  const module = await Test.createTestingModule({
    imports: [ClsModule.forRoot({ plugins: [plugin] })],
  }).compile();
  await module.init();
  const host: Host = module.get(TransactionHost);
  return {
    ...library,
    database: host,
    providers: [Orders, { provide: TransactionHost, useValue: host }],
    inTransaction: (work) => host.withTransaction(Propagation.RequiresNew, () => work(host.tx)),
    outside: [host, host.tx],
    close: async () => {
      await module.close();
      await library.close();
    },
  };
}
