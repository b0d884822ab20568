/** One replica of a platform for many shops, in its own process. `accounts.ts` starts it. */
import 'reflect-metadata';
import { Body, Controller, Injectable, Module, Param, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  OnPaymentEvent,
  PaymentsAccounts,
  PaymentsAccountsSource,
  PaymentsModule,
  WebhookSubscriptionsService,
  type AddedAccountOptions,
  type PaymentsEvents,
} from '@tillkit/payments';
import { PostgresStoreModule } from '@tillkit/postgres';
import { poolOf } from '../support/pool.js';
import type { ShopRow, ShopsReplicaSettings } from './accounts.settings.js';

const settings = JSON.parse(process.env['REPLICA'] as string) as ShopsReplicaSettings;
const pool = poolOf(settings.databaseUrl, { max: 4 });

/** The host's own table of shops, which stands for its vault as well. */
@Injectable()
class Shops extends PaymentsAccountsSource {
  async load(account: string): Promise<AddedAccountOptions | null> {
    const { rows } = await pool.query<ShopRow>('select * from shop where name = $1', [account]);
    const [shop] = rows;
    return (
      (shop && {
        clientId: shop.client_id,
        clientSecret: shop.client_secret,
        apiKeys: shop.api_keys,
        tillNumber: shop.till,
        tills: [shop.till],
      }) ??
      null
    );
  }
}

@Controller('shops/:shop')
class ShopsController {
  constructor(private readonly accounts: PaymentsAccounts) {}

  @Post('subscriptions')
  async subscribe(@Param('shop') shop: string): Promise<void> {
    const account = await this.accounts.get(shop);
    await account.get(WebhookSubscriptionsService).create({
      eventType: 'buygoods_transaction_received',
      scope: 'company',
    });
  }

  @Post('payments')
  async pay(
    @Param('shop') shop: string,
    @Body() { key, phoneNumber }: { key: string; phoneNumber: string },
  ): Promise<{ id: string; state: string }> {
    const { payments } = await this.accounts.get(shop);
    const { id, state } = await payments.request({
      idempotencyKey: key,
      subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber },
      amount: { currency: 'KES', value: '100.00' },
      metadata: { key },
    });
    return { id, state };
  }
}

@Injectable()
class Received {
  @OnPaymentEvent('payment.succeeded')
  succeeded({ account, eventId, payment }: PaymentsEvents['payment.succeeded']): Promise<void> {
    return this.record('payment.succeeded', account, eventId, payment.idempotencyKey);
  }

  @OnPaymentEvent('payment.failed')
  failed({ account, eventId, payment }: PaymentsEvents['payment.failed']): Promise<void> {
    return this.record('payment.failed', account, eventId, payment.idempotencyKey);
  }

  @OnPaymentEvent('payment.needs_review')
  review({ account, eventId, payment }: PaymentsEvents['payment.needs_review']): Promise<void> {
    return this.record('payment.needs_review', account, eventId, payment.idempotencyKey);
  }

  @OnPaymentEvent('till.transaction.received')
  money({
    account,
    eventId,
    transaction,
  }: PaymentsEvents['till.transaction.received']): Promise<void> {
    return this.record('till.transaction.received', account, eventId, transaction.reference ?? '');
  }

  private async record(
    name: string,
    account: string,
    eventId: string,
    subject: string,
  ): Promise<void> {
    await pool.query(
      'insert into received_event (name, account, event_id, subject) values ($1, $2, $3, $4)',
      [name, account, eventId, subject],
    );
  }
}

@Module({
  imports: [
    PostgresStoreModule.forRoot({ connectionString: settings.databaseUrl, poolSize: 8 }),
    PaymentsModule.forAccounts({
      source: Shops,
      baseUrl: settings.baseUrl,
      publicUrl: settings.publicUrl,
    }),
  ],
  controllers: [ShopsController],
  providers: [Received],
})
class ReplicaModule {}

const options = { logger: process.env['REPLICA_LOG'] ? undefined : (false as const) };
const app =
  settings.name.endsWith('2') || settings.name.endsWith('4')
    ? await NestFactory.create<NestFastifyApplication>(ReplicaModule, new FastifyAdapter(), options)
    : await NestFactory.create(ReplicaModule, new ExpressAdapter(), options);
app.enableShutdownHooks();
await app.listen(settings.port, '127.0.0.1');
process.send?.('ready');
