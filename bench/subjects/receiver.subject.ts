/** A merchant's application that receives deliveries and listens to their events. */
import { Injectable, Module } from '@nestjs/common';
import { OnPaymentEvent, PaymentsModule, type PaymentsEvents } from '@tillkit/payments';
import { PostgresStoreModule } from '@tillkit/postgres';
import { countedPool } from './counted.pool.js';
import { createApplication, accountOptions, listen } from './payments.application.js';
import type { PlatformName } from '../platforms.js';
import { Progress } from './progress.js';
import { host, settingsOf } from './subject.host.js';

interface ReceiverSettings {
  platform: PlatformName;
  /** Null: memory store. */
  databaseUrl: string | null;
  background: boolean;
}

const { platform, databaseUrl, background } = settingsOf<ReceiverSettings>();
const database = databaseUrl === null ? null : countedPool(databaseUrl);

@Injectable()
class Till {
  /** The time at which the event of each reference reached the listener, in nanoseconds of the machine's clock. */
  readonly receivedAt = new Map<string, bigint>();
  readonly progress = new Progress();

  @OnPaymentEvent('till.transaction.received')
  received({ transaction }: PaymentsEvents['till.transaction.received']): void {
    // A listener may be called again with the same event. It counts once.
    if (this.receivedAt.has(transaction.reference ?? '')) return;
    this.receivedAt.set(transaction.reference ?? '', process.hrtime.bigint());
    this.progress.add();
  }
}

@Module({
  imports: [
    ...(database === null ? [] : [PostgresStoreModule.forRoot({ pool: database.pool })]),
    PaymentsModule.forRoot(accountOptions('http://127.0.0.1:9', { background })),
  ],
  providers: [Till],
})
class ReceiverModule {}

const app = await createApplication(ReceiverModule, platform);
const url = await listen(app);
const till = app.get(Till);
host(
  {
    url: () => url,
    until: (count: number) => till.progress.until(count),
    receivedAt: () => till.receivedAt,
    clear: () => till.receivedAt.clear(),
    cpu: () => process.cpuUsage(),
    statements: () => database?.statements() ?? 0,
  },
  async () => {
    await app.close();
    await database?.pool.end();
  },
);
