/** The application that is attacked, in its own process. `target.process.ts` starts it. */
import 'reflect-metadata';
import type { Server } from 'node:http';
import { Injectable, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import {
  MemoryStore,
  OnPaymentEvent,
  PaymentsModule,
  PaymentsService,
  type PaymentsEvents,
} from '@tillkit/payments';
import { PostgresStore } from '@tillkit/postgres';
import {
  REQUESTED,
  type TargetMessage,
  type TargetPayment,
  type TargetSettings,
} from './target.settings.js';

const settings = JSON.parse(process.env['TARGET'] as string) as TargetSettings;
const url = `http://127.0.0.1:${settings.port}`;
const say = (message: TargetMessage): void => void process.send?.(message);

@Injectable()
class Listener {
  @OnPaymentEvent('payment.succeeded')
  succeeded({ eventId, payment, transaction }: PaymentsEvents['payment.succeeded']): void {
    const { platformId } = payment;
    const { reference, tillNumber, amount, currency } = transaction;
    say({
      kind: 'event',
      event: {
        name: 'payment.succeeded',
        eventId,
        reference,
        tillNumber,
        amount,
        currency,
        platformId,
      },
    });
  }

  @OnPaymentEvent('till.transaction.received')
  received({ eventId, transaction }: PaymentsEvents['till.transaction.received']): void {
    const { tillNumber, amount, currency } = transaction;
    const reference = transaction.reference ?? `id ${transaction.id}`;
    say({
      kind: 'event',
      event: {
        name: 'till.transaction.received',
        eventId,
        reference,
        tillNumber,
        amount,
        currency,
        platformId: null,
      },
    });
  }
}

@Module({
  imports: [
    PaymentsModule.forRoot({
      baseUrl: settings.baseUrl,
      clientId: settings.clientId,
      clientSecret: settings.clientSecret,
      apiKeys: [settings.apiKey],
      publicUrl: url,
      tillNumber: '514459',
      store:
        settings.databaseUrl === null
          ? new MemoryStore()
          : new PostgresStore({ connectionString: settings.databaseUrl }),
      // Nothing is read from the platform: what a delivery says is all that the ledger knows.
      reconciliation: false,
      deliveries: {
        unmatchedForMs: 1_000,
        bodyTimeoutMs: settings.bodyTimeoutMs,
      },
    }),
    PaymentsDashboardModule.forRoot({
      unguarded: 'anyone may see every payment',
      unguardedActions: 'anyone may move money',
    }),
  ],
  providers: [Listener],
})
class TargetModule {}

const app =
  settings.platform === 'fastify'
    ? await NestFactory.create<NestFastifyApplication>(TargetModule, new FastifyAdapter(), {
        logger: false,
      })
    : await NestFactory.create(TargetModule, new ExpressAdapter(), { logger: false });
const ignore = (): void => undefined;
Logger.overrideLogger({
  log: ignore,
  warn: (line: unknown) => say({ kind: 'warning', line: String(line) }),
  debug: ignore,
  error: (line: unknown) => say({ kind: 'error', line: String(line) }),
});
// A poster that waits for the processor must not find its connection closed.
(app.getHttpServer() as Server).keepAliveTimeout = 600_000;
await app.listen(settings.port, '127.0.0.1');

const payments: TargetPayment[] = [];
for (let n = 0; n < settings.payments; n += 1) {
  const { id, platformId } = await app.get(PaymentsService).request({
    idempotencyKey: `payment-${n}`,
    // The scenario of a customer who never answers.
    subscriber: {
      firstName: 'Jane',
      lastName: 'Doe',
      phoneNumber: `+2547${String(n).padStart(6, '0')}14`,
    },
    amount: REQUESTED,
  });
  const callbackUrl = `${url}/payments/callbacks/incoming-payments/${id}`;
  payments.push({ id, platformId: platformId as string, callbackUrl });
}
say({ kind: 'ready', payments });

process.on('message', () => {
  global.gc?.();
  say({ kind: 'memory', rssMb: process.memoryUsage.rss() / 2 ** 20 });
});
process.once('disconnect', () => process.exit());
