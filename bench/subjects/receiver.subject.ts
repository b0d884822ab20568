/** A merchant's application that receives deliveries and listens to their events. */
import { Injectable, Module } from '@nestjs/common';
import { OnPaymentEvent, PaymentsModule, type PaymentsEvents } from '@tillkit/payments';
import { PostgresStoreModule } from '@tillkit/postgres';
import { createApplication, accountOptions, listen } from './payments.application.js';
import type { PlatformName } from '../platforms.js';
import { host, settingsOf } from './subject.host.js';

interface ReceiverSettings {
  platform: PlatformName;
  /** Null: memory store. */
  databaseUrl: string | null;
  background: boolean;
}

const { platform, databaseUrl, background } = settingsOf<ReceiverSettings>();

@Injectable()
class Till {
  /** The time at which the event of each reference reached the listener, in nanoseconds of the machine's clock. */
  readonly receivedAt = new Map<string, bigint>();
  count = 0;
  private waiting: { count: number; resolve: () => void } | null = null;

  @OnPaymentEvent('till.transaction.received')
  received({ transaction }: PaymentsEvents['till.transaction.received']): void {
    this.count += 1;
    this.receivedAt.set(transaction.reference ?? '', process.hrtime.bigint());
    if (this.waiting && this.count >= this.waiting.count) this.waiting.resolve();
  }

  /** Resolves after this many events since the start. */
  async until(count: number): Promise<void> {
    if (this.count >= count) return;
    await new Promise<void>((resolve) => (this.waiting = { count, resolve }));
  }
}

@Module({
  imports: [
    ...(databaseUrl === null
      ? []
      : [PostgresStoreModule.forRoot({ connectionString: databaseUrl })]),
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
    until: (count: number) => till.until(count),
    receivedAt: () => till.receivedAt,
    clear: () => till.receivedAt.clear(),
    memory: () => {
      globalThis.gc?.();
      return process.memoryUsage();
    },
    cpu: () => process.cpuUsage(),
  },
  () => app.close(),
);
