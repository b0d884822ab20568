/** One replica of a merchant's application, in a process of its own. Started by `replicas.ts`. */
import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { Body, Controller, HttpException, Inject, Injectable, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  OnPaymentEvent,
  PaymentsError,
  PaymentsModule,
  PaymentsService,
  type PaymentsEvents,
  type RequestPayment,
} from '@tillkit/payments';
import { PostgresStoreModule } from '@tillkit/postgres';
import pg from 'pg';

/** What the campaign tells a replica through its environment. */
export interface ReplicaSettings {
  name: string;
  port: number;
  /** For the store: perhaps through a proxy that cuts it off. */
  databaseUrl: string;
  /** For what listeners write: never cut off, so that nothing heard is forgotten. */
  heardUrl: string;
  platform: 'express' | 'fastify';
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  apiKey: string;
  publicUrl: string;
  /** Share of listener calls that throw before, throw after, or hang. */
  listenerFaults: number;
  reviewAfterMs: number;
}

const settings = JSON.parse(process.env['REPLICA'] as string) as ReplicaSettings;
const heard = new pg.Pool({ connectionString: settings.heardUrl, max: 4 });
heard.on('error', () => undefined);

@Injectable()
class Listener {
  @OnPaymentEvent('payment.succeeded')
  succeeded({ eventId, payment, via }: PaymentsEvents['payment.succeeded']): Promise<void> {
    return this.hear('payment.succeeded', eventId, payment.id, via);
  }

  @OnPaymentEvent('payment.failed')
  failed({ eventId, payment, via }: PaymentsEvents['payment.failed']): Promise<void> {
    return this.hear('payment.failed', eventId, payment.id, via);
  }

  @OnPaymentEvent('payment.needs_review')
  review({ eventId, payment, via }: PaymentsEvents['payment.needs_review']): Promise<void> {
    return this.hear('payment.needs_review', eventId, payment.id, via);
  }

  @OnPaymentEvent('payment.reversed')
  reversed({ eventId, payment, via }: PaymentsEvents['payment.reversed']): Promise<void> {
    return this.hear('payment.reversed', eventId, payment.id, via);
  }

  @OnPaymentEvent('till.transaction.received')
  received({
    eventId,
    transaction,
    via,
  }: PaymentsEvents['till.transaction.received']): Promise<void> {
    return this.hear('till.transaction.received', eventId, transaction.reference as string, via);
  }

  private async hear(name: string, eventId: string, subject: string, via: string): Promise<void> {
    const draw = Math.random();
    if (draw < settings.listenerFaults)
      throw new Error('a listener throws before it has done anything');
    if (draw < settings.listenerFaults * 1.3) await sleep(60_000, undefined, { ref: false });
    await heard.query(
      'insert into heard (name, event_id, subject, via, replica) values ($1, $2, $3, $4, $5)',
      [name, eventId, subject, via, settings.name],
    );
    if (draw > 1 - settings.listenerFaults)
      throw new Error('a listener throws after it has done everything');
  }
}

@Controller()
class RequestController {
  constructor(@Inject(PaymentsService) private readonly payments: PaymentsService) {}

  @Post('request')
  async request(@Body() request: RequestPayment): Promise<{ id: string; state: string }> {
    try {
      const { id, state } = await this.payments.request(request);
      return { id, state };
    } catch (error) {
      throw new HttpException(error instanceof PaymentsError ? error.code : String(error), 503);
    }
  }
}

@Module({
  imports: [
    PostgresStoreModule.forRoot({
      connectionString: settings.databaseUrl,
      poolSize: 8,
      connectTimeoutMs: 2_000,
    }),
    PaymentsModule.forRoot({
      baseUrl: settings.baseUrl,
      clientId: settings.clientId,
      clientSecret: settings.clientSecret,
      apiKeys: [settings.apiKey],
      publicUrl: settings.publicUrl,
      tillNumber: '514459',
      http: { createTimeoutMs: 1_500, readTimeoutMs: 1_000, tokenTimeoutMs: 1_000 },
      sending: { sendBeforeMs: 10_000 },
      reconciliation: {
        scheduleMs: [1_000, 2_000, 3_000],
        intervalMs: 200,
        reviewAfterMs: settings.reviewAfterMs,
        sweepEveryMs: 4_000,
        requestsPerSecond: 200,
      },
      listeners: {
        retryScheduleMs: Array.from({ length: 40 }, () => 250),
        timeoutMs: 1_000,
        leaseMs: 2_000,
      },
      deliveries: { storeTimeoutMs: 2_000, unmatchedForMs: 20_000 },
    }),
  ],
  controllers: [RequestController],
  providers: [Listener],
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
