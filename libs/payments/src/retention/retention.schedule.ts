import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { KnownAccounts } from '../known.accounts.js';
import { AccountSchedule } from '../runtime/account.schedule.js';
import { RETENTION } from '../runtime/backoff.js';
import { Runtime } from '../runtime/runtime.js';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import { RetentionStore } from './retention.store.js';
import { SafeLogger } from '../runtime/safe.logger.js';

const BATCH = 500;

/** Most batches of one run. The next run continues. */
const MOST_BATCHES = 100;

/** Redacts and deletes old finished rows, in small batches. */
@Injectable()
export class RetentionSchedule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new SafeLogger();
  private readonly schedule: AccountSchedule;

  constructor(
    private readonly retentionStore: RetentionStore,
    private readonly shutdown: ShutdownSignal,
    private readonly accounts: KnownAccounts,
    runtime: Runtime,
  ) {
    this.schedule = new AccountSchedule({
      runtime,
      shutdown,
      accounts: () =>
        accounts
          .inBackground()
          .filter(({ retention }) => retention.everyMs > 0)
          .map(({ account, retention: { everyMs } }) => ({
            account,
            // The first run comes early, so that a process that restarts often still redacts and deletes.
            firstMs: Math.min(everyMs, RETENTION.firstMs),
            everyMs,
          })),
      run: (account) => this.apply(account),
    });
  }

  onApplicationBootstrap(): void {
    this.schedule.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    await this.schedule.ended();
  }

  private async apply(account: string): Promise<void> {
    const { retention } = this.accounts.of(account);
    try {
      for (let batch = 0; batch < MOST_BATCHES && !this.shutdown.signal.aborted; batch += 1) {
        const { redacted, deleted } = await this.retentionStore.apply(account, {
          ...retention,
          limit: BATCH,
        });
        if (redacted + deleted === 0) return;
      }
    } catch (error) {
      this.logger.warn(
        `retention of account ${account} ended early and will go on later: ${String(error)}`,
      );
    }
  }
}
