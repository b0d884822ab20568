/** The host application of the matrix: takes orders over HTTP, and writes each event to a file, which the matrix reads. */
import { appendFileSync } from 'node:fs';
import { Body, Controller, Injectable, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Transport } from '@nestjs/microservices';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  OnPaymentEvent,
  PaymentsModule,
  PaymentsService,
  WebhookSubscriptionsService,
  type PaymentsEvents,
} from '@tillkit/payments';
import { PostgresStoreModule } from '@tillkit/postgres';

const { PORT, EVENTS, PLATFORM, PREFIX, MESSAGES_PORT } = process.env;

@Injectable()
class Orders {
  constructor(private readonly payments: PaymentsService) {}

  order({ key, phone }: { key: string; phone: string }) {
    return this.payments.request({
      idempotencyKey: key,
      subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: phone },
      amount: { currency: 'KES', value: '100.00' },
    });
  }

  @OnPaymentEvent('payment.succeeded')
  succeeded({ eventId, payment }: PaymentsEvents['payment.succeeded']) {
    this.write('payment.succeeded', eventId, payment.idempotencyKey);
  }

  @OnPaymentEvent('payment.failed')
  failed({ eventId, payment, reason }: PaymentsEvents['payment.failed']) {
    this.write(`payment.failed ${reason}`, eventId, payment.idempotencyKey);
  }

  @OnPaymentEvent('till.transaction.received')
  received({ eventId, transaction }: PaymentsEvents['till.transaction.received']) {
    this.write('till.transaction.received', eventId, transaction.reference);
  }

  private write(name: string, eventId: string, about: string | null) {
    appendFileSync(String(EVENTS), `${JSON.stringify({ name, eventId, about })}\n`);
  }
}

@Controller('orders')
class OrdersController {
  constructor(private readonly orders: Orders) {}

  @Post()
  async create(@Body() body: { key: string; phone: string }) {
    const { id, state } = await this.orders.order(body);
    return { id, state };
  }
}

@Module({
  imports: [PostgresStoreModule.forRoot(), PaymentsModule.forRoot()],
  providers: [Orders],
  controllers: [OrdersController],
})
class AppModule {}

async function main(): Promise<void> {
  const adapter = PLATFORM === 'fastify' ? new FastifyAdapter() : new ExpressAdapter();
  const app = await NestFactory.create(AppModule, adapter, { logger: ['error', 'warn'] });
  app.enableShutdownHooks();
  if (PREFIX) app.setGlobalPrefix(PREFIX);
  if (MESSAGES_PORT) {
    const options = { host: '127.0.0.1', port: Number(MESSAGES_PORT) };
    app.connectMicroservice({ transport: Transport.TCP, options }, { inheritAppConfig: true });
    await app.startAllMicroservices();
  }
  await app.listen(Number(PORT), '127.0.0.1');
  if (process.env['SUBSCRIBE'])
    await app.get(WebhookSubscriptionsService).create({
      eventType: 'buygoods_transaction_received',
      scope: 'till',
      scopeReference: '514459',
    });
  console.log('ready');
}

void main();
