/** An application whose listener marks orders as paid in a transaction of its library. Arguments: the library, and the database. */
import { NestFactory } from '@nestjs/core';
import { Module } from '@nestjs/common';
import { PaymentsModule } from '@tillkit/payments';
import { PostgresStore } from '@tillkit/postgres';
import { hostLibraries } from '../support/host-libraries.js';

const [library, url] = process.argv.slice(2) as [string, string];
const host = await hostLibraries()
  .find((named) => named.library === library)!
  .open(url);

@Module({
  imports: [
    PaymentsModule.forRoot({
      // Nothing is sent, so nothing needs to be there.
      baseUrl: 'http://127.0.0.1:9',
      publicUrl: 'http://127.0.0.1:9',
      clientId: 'campaign',
      clientSecret: 'campaign',
      apiKeys: ['campaign-with-16-characters'],
      tillNumber: '514459',
      reconciliation: false,
      store: new PostgresStore({ connectionString: url }),
      transactions: host.database,
      listeners: { leaseMs: 1_000, retryScheduleMs: Array.from({ length: 20 }, () => 100) },
    }),
  ],
  providers: host.providers,
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error'], abortOnError: false });
await app.init();
