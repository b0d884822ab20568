import { Injectable } from '@nestjs/common';
import { AccountClaimsService } from '../accounts/account-claims.service.js';
import { EventDispatcher } from '../events/event.dispatcher.js';
import { KnownAccounts } from '../known.accounts.js';
import type { PaymentsSettings } from '../payments.settings.js';
import { SweepSchedule } from '../reconciliation/sweep.schedule.js';
import { RetentionSchedule } from '../retention/retention.schedule.js';
import { WorkLookout } from '../runtime/work.lookout.js';

/** An account that waits to be opened. */
interface Opening {
  settings: PaymentsSettings;
  done: () => void;
  failed: (error: unknown) => void;
}

/**
 * Opens accounts while the application runs: claims their tills and keys, registers their listeners, plans their work. Accounts that come
 * together are opened together.
 */
@Injectable()
export class AccountOpenings {
  private waiting: Opening[] = [];

  constructor(
    private readonly accounts: KnownAccounts,
    private readonly claims: AccountClaimsService,
    private readonly dispatcher: EventDispatcher,
    private readonly sweeps: SweepSchedule,
    private readonly retention: RetentionSchedule,
    private readonly lookout: WorkLookout,
  ) {}

  /**
   * Opens an account, or changes the settings of one that is open. When it fails, nothing has changed.
   * @throws PaymentsConfigurationError when another account has a till or an API key of this one
   * @throws StoreUnavailableError when the store does not answer
   */
  open(settings: PaymentsSettings): Promise<void> {
    return new Promise((done, failed) => {
      this.waiting.push({ settings, done, failed });
      if (this.waiting.length === 1) setImmediate(() => void this.openAll());
    });
  }

  private async openAll(): Promise<void> {
    const openings = this.waiting;
    this.waiting = [];
    // Of several for one account, the last one counts.
    const last = new Map(openings.map(({ settings }) => [settings.account, settings]));
    try {
      const problems = new Map<string, unknown>(await this.claims.claimFor([...last.values()]));
      const fit = [...last.values()].filter(({ account }) => !problems.has(account));
      await this.prepare(fit);
      for (const settings of fit) {
        try {
          this.accounts.put(settings);
        } catch (error) {
          problems.set(settings.account, error);
        }
      }
      this.lookout.expect();
      for (const { settings, done, failed } of openings) {
        const problem = problems.get(settings.account);
        if (problem === undefined) done();
        else failed(problem);
      }
    } catch (error) {
      for (const { failed } of openings) failed(error);
    }
  }

  /** What the store must know before the first work of an account. Work that is planned stays planned. */
  private async prepare(all: readonly PaymentsSettings[]): Promise<void> {
    const fresh = all.filter(({ account }) => !this.accounts.has(account));
    const changed = all.filter((settings) => this.needsOtherWork(settings));
    if (changed.length === 0) return;
    await this.dispatcher.register(fresh);
    await Promise.all([
      this.sweeps.begin(changed),
      this.retention.plan(changed.filter(({ background }) => background)),
    ]);
  }

  private needsOtherWork(settings: PaymentsSettings): boolean {
    if (!this.accounts.has(settings.account)) return true;
    const { reconciliation, retention, background } = this.accounts.of(settings.account);
    return (
      background !== settings.background ||
      reconciliation.enabled !== settings.reconciliation.enabled ||
      reconciliation.sweepEveryMs !== settings.reconciliation.sweepEveryMs ||
      retention.everyMs !== settings.retention.everyMs
    );
  }
}
