/** An application of five merchants with one memory store, in its own process. `merchants.ts` starts it. */
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  MemoryStore,
  OnPaymentEvent,
  PaymentsModule,
  type PaymentsEvents,
} from '@tillkit/payments';
import { freePort } from '../support/free.port.js';
import { HOSTILE, keyOf, OTHER, type MerchantsMessage } from './merchants.settings.js';

const FIRST_RETRY_MS = 500;
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const say = (message: MerchantsMessage): void => void process.send?.(message);

@Injectable()
class Listener {
  private readonly failedAt = new Map<string, number>();

  /** The calls of hostile merchants hang. That of the other merchant fails once. */
  @OnPaymentEvent('till.transaction.received')
  async received({ account, eventId }: PaymentsEvents['till.transaction.received']): Promise<void> {
    if (account !== OTHER) return new Promise(() => undefined);
    const failedAt = this.failedAt.get(eventId);
    if (failedAt === undefined) {
      this.failedAt.set(eventId, performance.now());
      throw new Error('it fails the first time');
    }
    say({ kind: 'repeated', lateMs: performance.now() - failedAt - FIRST_RETRY_MS });
  }
}

const store = new MemoryStore();
const merchants = [...HOSTILE, OTHER].map((account, index) =>
  PaymentsModule.forRoot({
    account,
    path: account,
    baseUrl: 'http://127.0.0.1:1',
    clientId: 'id',
    clientSecret: 'secret',
    apiKeys: [keyOf(account)],
    publicUrl: url,
    tillNumber: `51445${index}`,
    tills: [`51445${index}`],
    store,
    reconciliation: false,
    listeners: { retryScheduleMs: [FIRST_RETRY_MS, FIRST_RETRY_MS], timeoutMs: 120_000 },
  }),
);

@Module({ imports: merchants, providers: [Listener] })
class TargetModule {}

const app = await NestFactory.create(TargetModule, { logger: false });
await app.listen(port, '127.0.0.1');
say({ kind: 'ready', url });
process.on('message', () => say({ kind: 'memory', rssMb: process.memoryUsage.rss() / 2 ** 20 }));
process.once('disconnect', () => process.exit());
