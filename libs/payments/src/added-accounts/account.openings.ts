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
    try {
      const problems = await this.claims.claimFor(openings.map(({ settings }) => settings));
      const fit = openings.filter(({ settings, failed }) => {
        const problem = problems.get(settings.account);
        if (problem) failed(problem);
        return !problem;
      });
      await this.prepare(fit.map(({ settings }) => settings));
      for (const { settings } of fit) this.accounts.put(settings);
      this.lookout.expect();
      for (const { done } of fit) done();
    } catch (error) {
      for (const { failed } of openings) failed(error);
    }
  }

  /** What the store must know before the first work of an account. */
  private async prepare(all: readonly PaymentsSettings[]): Promise<void> {
    const fresh = all.filter(({ account }) => !this.accounts.has(account));
    if (fresh.length === 0) return;
    await Promise.all([
      this.dispatcher.register(fresh),
      this.sweeps.begin(fresh),
      this.retention.plan(fresh.filter(({ background }) => background)),
    ]);
  }
}
