import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AccountsStore } from '../store/accounts.store.js';
import { KnownAccounts, namesOf } from '../work/known-accounts.js';
import type { PaymentsSettings } from '../work/payments.settings.js';
import { AccountSchedule } from '../work/account.schedule.js';
import { SWEEPING } from '../work/backoff.js';
import { PlannedWorkStore } from '../store/planned-work.store.js';
import { Runtime } from '../work/runtime.js';
import { ShutdownSignal } from '../work/shutdown-signal.js';
import type { AccountWork } from '../work/account-work.js';
import { DueWorkFinder } from '../work/due-work-finder.js';
import { AccountSweeps } from './account-sweeps.js';
import { SafeLogger } from '../work/safe-logger.js';

/** Sweeps on a schedule for transactions whose webhook never came. */
@Injectable()
export class SweepSchedule implements AccountWork, OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new SafeLogger();
  private readonly schedule: AccountSchedule;
  private started: Promise<void> = Promise.resolve();

  constructor(
    private readonly sweeps: AccountSweeps,
    private readonly accountsStore: AccountsStore,
    private readonly shutdown: ShutdownSignal,
    private readonly accounts: KnownAccounts,
    plannedWork: PlannedWorkStore,
    finder: DueWorkFinder,
    runtime: Runtime,
  ) {
    this.schedule = new AccountSchedule(plannedWork, accounts, finder, runtime, {
      kind: 'sweep',
      claimed: () => accounts.reconciledNames(),
      everyMs: ({ reconciliation }) => reconciliation.sweepEveryMs,
      firstMs: SWEEPING.firstMs,
      leaseMs: SWEEPING.plannedLeaseMs,
      atOnce: SWEEPING.accountsAtOnce,
      run: (account) => this.sweepInBackground(account),
    });
  }

  /**
   * Notes that accounts are in use from now on, and plans their first sweep. None of a removed account: it would be loaded for it again and again,
   * and an operation that is overdue is swept for all the same.
   */
  async begin(accounts: readonly PaymentsSettings[]): Promise<void> {
    await this.accountsStore.noteStarts(namesOf(accounts));
    await this.schedule.plan(
      accounts.filter(({ reconciliation, isRemoved }) => reconciliation.enabled && !isRemoved),
    );
  }

  /** Plans no sweeps of an account any more: a planned one would bring it back. */
  end(account: PaymentsSettings): Promise<void> {
    return this.schedule.cancel([account]);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.accounts.reconciles) this.schedule.start();
    await this.begin(this.accounts.all());
    this.started = this.sweeps.noteStarts();
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    await this.started;
    await this.schedule.stop();
    await this.sweeps.release();
  }

  private async sweepInBackground(account: string): Promise<void> {
    try {
      await this.sweeps.sweep(account);
    } catch (error) {
      this.logger.warn(`a sweep ended early and will go on from where it was: ${String(error)}`, {
        account,
      });
    }
  }
}
