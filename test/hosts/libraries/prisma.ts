import { Injectable } from '@nestjs/common';
import { OnPaymentEvent, PaymentsService, type PaymentsEvents } from '@tillkit/payments';
import type { Payment, RequestPayment } from '@tillkit/payments';
import { PrismaPg } from '@prisma/adapter-pg';
import { type Prisma, PrismaClient } from '../generated/prisma/client.js';
import type { HostLibrary } from '../../support/host-libraries.js';

// docs/databases.md#prisma
@Injectable()
export class Orders {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly payments: PaymentsService,
  ) {}

  place(id: string, input: RequestPayment): Promise<Payment> {
    return this.prisma.$transaction(async (tx) => {
      await tx.shopOrder.create({ data: { id } });
      return this.payments.record(input, { transaction: tx });
    });
  }

  @OnPaymentEvent('payment.succeeded', { transactional: true })
  async paid(
    { payment }: PaymentsEvents['payment.succeeded'],
    tx: Prisma.TransactionClient,
  ): Promise<void> {
    const where = { id: payment.idempotencyKey };
    await tx.shopOrder.update({ where, data: { paid: { increment: 1 } } });
  }
}
// end

export async function open(url: string): Promise<HostLibrary> {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
  return {
    database: prisma,
    providers: [Orders, { provide: PrismaClient, useValue: prisma }],
    inTransaction: (work) => prisma.$transaction((tx) => work(tx)),
    nested: (tx: Prisma.TransactionClient, work) =>
      (tx as PrismaClient).$transaction((inner) => work(inner)),
    run: (tx: Prisma.TransactionClient, text, ...values) => tx.$executeRawUnsafe(text, ...values),
    outside: [prisma],
    sqlState: (error) =>
      (error as { meta?: { driverAdapterError?: { cause?: { originalCode?: string } } } }).meta
        ?.driverAdapterError?.cause?.originalCode,
    close: () => prisma.$disconnect(),
  };
}
