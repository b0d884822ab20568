import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { KnownAccounts } from '../work/known-accounts.js';
import { AccountSchedule } from '../work/account.schedule.js';
import { RETENTION } from '../work/backoff.js';
import type { PaymentsSettings } from '../work/payments.settings.js';
import { PlannedWorkStore } from '../store/planned-work.store.js';
import { Runtime } from '../work/runtime.js';
import { ShutdownSignal } from '../work/shutdown-signal.js';
import type { AccountWork } from '../work/account-work.js';
import { DueWorkFinder } from '../work/due-work-finder.js';
import { RetentionStore } from '../store/retention.store.js';
import { SafeLogger } from '../work/safe-logger.js';

const BATCH = 500;

/** Most batches of one run. The next run continues. */
const MOST_BATCHES = 100;

/** Redacts and deletes old finished rows, in small batches. */
@Injectable()
export class RetentionSchedule implements AccountWork, OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new SafeLogger();
  private readonly schedule: AccountSchedule;

  constructor(
    private readonly retentionStore: RetentionStore,
    private readonly shutdown: ShutdownSignal,
    private readonly accounts: KnownAccounts,
    plannedWork: PlannedWorkStore,
    finder: DueWorkFinder,
    runtime: Runtime,
  ) {
    this.schedule = new AccountSchedule(plannedWork, accounts, finder, runtime, {
      kind: 'retention',
      claimed: () => accounts.inBackgroundNames(),
      everyMs: ({ retention }) => retention.everyMs,
      firstMs: RETENTION.firstMs,
      leaseMs: RETENTION.leaseMs,
      atOnce: RETENTION.accountsAtOnce,
      run: (account) => this.apply(account),
    });
  }

  /** Plans the first run of accounts. */
  begin(accounts: readonly PaymentsSettings[]): Promise<void> {
    return this.schedule.plan(accounts.filter(({ background }) => background));
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.accounts.worksInBackground) return;
    this.schedule.start();
    await this.begin(this.accounts.inBackground());
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    await this.schedule.stop();
  }

  private async apply(account: string): Promise<void> {
    const { retention, isRemoved } = this.accounts.of(account);
    try {
      for (let batch = 0; batch < MOST_BATCHES && !this.shutdown.signal.aborted; batch += 1) {
        const { redacted, deleted } = await this.retentionStore.apply(account, {
          ...retention,
          limit: BATCH,
          isRemoved,
        });
        if (redacted + deleted === 0) return;
      }
    } catch (error) {
      this.logger.warn(`retention ended early and will go on later: ${String(error)}`, { account });
    }
  }
}
