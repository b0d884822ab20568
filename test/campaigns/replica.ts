/** One replica of a merchant's application, in its own process. `replicas.ts` starts it. */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { PaymentsModule } from '@tillkit/payments';
import { PostgresStoreModule } from '@tillkit/postgres';
import { settings } from './replica.context.js';
import { ReplicaController } from './replica.controller.js';
import { ReplicaListener } from './replica.listener.js';

@Module({
  imports: [
    PostgresStoreModule.forRoot({
      connectionString: settings.databaseUrl,
      poolSize: 8,
      connectTimeoutMs: 2_000,
      statementTimeoutMs: settings.statementTimeoutMs,
    }),
    PaymentsModule.forRoot({
      baseUrl: settings.baseUrl,
      clientId: settings.clientId,
      clientSecret: settings.clientSecret,
      apiKeys: [settings.apiKey],
      publicUrl: settings.publicUrl,
      // Shows the platform which replica sends a request.
      userAgent: `${settings.name}/1.0`,
      tillNumber: '514459',
      tillAliases: settings.tillAliases,
      http: { createTimeoutMs: 1_500, readTimeoutMs: 1_000 },
      sending: { sendBeforeMs: settings.sendBeforeMs },
      reconciliation: settings.reconciliation,
      listeners: {
        retryScheduleMs: Array.from({ length: 40 }, () => 250),
        timeoutMs: 1_000,
        leaseMs: 2_000,
      },
      deliveries: { unmatchedForMs: 20_000 },
    }),
  ],
  controllers: [ReplicaController],
  providers: [ReplicaListener],
})
class ReplicaModule {}

const options = { logger: process.env['REPLICA_LOG'] ? undefined : (false as const) };
const app =
  settings.platform === 'fastify'
    ? await NestFactory.create<NestFastifyApplication>(ReplicaModule, new FastifyAdapter(), options)
    : await NestFactory.create(ReplicaModule, new ExpressAdapter(), options);
app.enableShutdownHooks();
await app.listen(settings.port, '127.0.0.1');
process.send?.('ready');
