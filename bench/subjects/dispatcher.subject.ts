/** A replica that dispatches the due listener calls of a database. */
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { OnPaymentEvent, PaymentsModule } from '@tillkit/payments';
import { PostgresStoreModule } from '@tillkit/postgres';
import { accountOptions } from './payments.application.js';
import { host, settingsOf } from './subject.host.js';

const { databaseUrl } = settingsOf<{ databaseUrl: string }>();

export interface ReceivedByReplica {
  count: number;
  firstAt: bigint;
  lastAt: bigint;
  cpuMs: number;
}

@Injectable()
class Listener {
  count = 0;
  firstAt = 0n;
  lastAt = 0n;

  @OnPaymentEvent('till.transaction.received', { id: 'bench' })
  received(): void {
    const now = process.hrtime.bigint();
    if (this.count === 0) this.firstAt = now;
    this.count += 1;
    this.lastAt = now;
  }
}

@Module({
  imports: [
    PostgresStoreModule.forRoot({ connectionString: databaseUrl }),
    PaymentsModule.forRoot(accountOptions('http://127.0.0.1:9')),
  ],
  providers: [Listener],
})
class DispatcherModule {}

const app = await NestFactory.createApplicationContext(DispatcherModule, { logger: ['error'] });
const listener = app.get(Listener);
let cpu = process.cpuUsage();
host(
  {
    begin: () => {
      listener.count = 0;
      cpu = process.cpuUsage();
    },
    received: (): ReceivedByReplica => {
      const { user, system } = process.cpuUsage(cpu);
      const { count, firstAt, lastAt } = listener;
      return { count, firstAt, lastAt, cpuMs: (user + system) / 1000 };
    },
  },
  () => app.close(),
);
