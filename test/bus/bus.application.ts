/** A merchant's application that forwards its events, in its own process. `bus.stage.ts` starts it. */
import 'reflect-metadata';
import { Body, Controller, Inject, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClientsModule } from '@nestjs/microservices';
import { PaymentsModule, PaymentsService, type RequestPayment } from '@tillkit/payments';
import { ForwardPaymentEvents } from '@tillkit/payments/microservices';
import { PostgresStoreModule } from '@tillkit/postgres';
import { FAST } from '../campaigns/replica.settings.js';
import { clientFor, type BusSettings } from './bus.settings.js';

const settings = JSON.parse(process.env['REPLICA'] as string) as BusSettings;

@Controller()
class ShopController {
  constructor(@Inject(PaymentsService) private readonly payments: PaymentsService) {}

  @Post('request')
  async request(@Body() request: RequestPayment): Promise<{ id: string }> {
    const { id } = await this.payments.request(request);
    return { id };
  }
}

@Module({
  imports: [
    PostgresStoreModule.forRoot({ connectionString: settings.databaseUrl, poolSize: 8 }),
    PaymentsModule.forRoot({
      baseUrl: settings.baseUrl,
      clientId: settings.clientId,
      clientSecret: settings.clientSecret,
      apiKeys: [settings.apiKey],
      publicUrl: settings.publicUrl,
      tillNumber: '514459',
      reconciliation: FAST.reconciliation,
      listeners: {
        retryScheduleMs: Array.from({ length: 4_000 }, () => 250),
        timeoutMs: 1_500,
        leaseMs: 3_000,
      },
    }),
    ClientsModule.register([clientFor(settings)]),
    ForwardPaymentEvents.register({ client: 'BUS' }),
  ],
  controllers: [ShopController],
})
class ShopModule {}

const app = await NestFactory.create(ShopModule, {
  logger: process.env['REPLICA_LOG'] ? undefined : false,
});
app.enableShutdownHooks();
await app.listen(settings.port, '127.0.0.1');
process.send?.('ready');
