import { NEVER } from 'rxjs';
import type { AccountRegistry } from '../accounts/account-registry.js';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import { errorText, SafeLogger } from '../runtime/logging.js';
import type { PlannedKind, PlannedWorkStore } from '../store/due-work.store.js';
import { renewedWhile, type Runtime } from '../runtime/clock.js';
import type { DueWorkFinder } from './due-work-finder.js';
import { WorkLoop } from './work-loop.js';

/** Work that each account needs at its own interval. */
export interface ScheduledWork {
  kind: PlannedKind;
  /** Returns the accounts whose work this process does. */
  claimed: () => readonly string[];
  /** Returns the milliseconds from the end of a run to the next one; 0: the account does not need the work. */
  everyMs: (settings: PaymentsSettings) => number;
  /** Longest wait from the start of a process, or from the first use of an account, to its first run. */
  firstMs: number;
  /** When a process dies, another one begins its run after this time. It is renewed while the run goes on. */
  leaseMs: number;
  /** This process works for so many accounts at the same time. */
  atOnce: number;
  /** It never rejects. */
  run: (account: string) => Promise<void>;
}

/**
 * Does work of each account at its own interval. The store has the plan: one process does each piece, and no process needs a timer for
 * an account.
 */
export class AccountSchedule {
  private readonly logger = new SafeLogger();
  private readonly running = new Set<string>();
  private readonly loop: WorkLoop<{ account: string }>;
  private isStopping = false;
  private claimed: { of: readonly string[]; wanting: readonly string[] } = { of: [], wanting: [] };

  constructor(
    private readonly store: PlannedWorkStore,
    private readonly accounts: AccountRegistry,
    private readonly finder: DueWorkFinder,
    private readonly runtime: Runtime,
    private readonly work: ScheduledWork,
  ) {
    const { kind, claimed, leaseMs, atOnce } = work;
    this.loop = new WorkLoop({
      runtime,
      name: `planned work (${kind})`,
      accounts: () => this.wanting(claimed()),
      concurrency: atOnce,
      // An account has one piece of this work.
      accountsAtOnce: 1,
      wakeUps: NEVER,
      finder,
      isDue: ({ planned }) => planned.includes(kind),
      claim: async (names, limit) => {
        const due = await store.claim(names, kind, limit, leaseMs);
        return due.map((account) => ({ account }));
      },
      work: ({ account }) => this.run(account),
    });
  }

  start(): void {
    this.loop.start();
  }

  stop(): Promise<void> {
    this.isStopping = true;
    return this.loop.stop();
  }

  /** Plans the first run of accounts. */
  async plan(settings: readonly PaymentsSettings[]): Promise<void> {
    const { kind, firstMs, everyMs } = this.work;
    const works = settings
      .filter((account) => everyMs(account) > 0)
      .map((account) => {
        const inMs = this.runtime.jittered(Math.min(everyMs(account), firstMs));
        return { account: account.account, kind, inMs };
      });
    if (works.length === 0) return;
    await this.store.plan(works);
    this.finder.expect(Math.min(...works.map(({ inMs }) => inMs)));
  }

  /** Cancels the work of accounts that do not need it any more. */
  async cancel(settings: readonly PaymentsSettings[]): Promise<void> {
    if (settings.length > 0)
      await this.store.cancel(
        settings.map(({ account }) => account),
        this.work.kind,
      );
  }

  /** Returns the accounts that need the work: a list that stays the same until the accounts change. */
  private wanting(names: readonly string[]): readonly string[] {
    if (this.claimed.of !== names)
      this.claimed = { of: names, wanting: names.filter((account) => this.everyMs(account) > 0) };
    return this.claimed.wanting;
  }

  private async run(account: string): Promise<void> {
    // The lease has ended, but the work still runs here.
    if (this.running.has(account)) return;
    this.running.add(account);
    try {
      await this.runRenewed(account);
      const everyMs = this.everyMs(account);
      // By the settings here the account needs no work any more. By those of another process it may: that process finds the work when the
      // lease ends.
      if (everyMs === 0) return;
      // A run that the end of this process has cut short is the work of another process now.
      const inMs = this.isStopping ? 0 : everyMs;
      await this.store.replan(account, this.work.kind, inMs);
      this.finder.expect(everyMs);
    } catch (error) {
      this.logger.warn(
        `the next ${this.work.kind} could not be planned; it follows when the lease ends: ${errorText(error)}`,
        { account },
      );
    } finally {
      this.running.delete(account);
    }
  }

  /** Puts off the next run while this one goes on: another process begins it soon after this one has died. */
  private runRenewed(account: string): Promise<void> {
    const { kind, leaseMs, run } = this.work;
    const renew = async (): Promise<void> => {
      if (this.everyMs(account) > 0) await this.store.replan(account, kind, leaseMs);
    };
    return renewedWhile(this.runtime, leaseMs, renew, () => run(account));
  }

  /** Returns 0 also when the account is not known any more. */
  private everyMs(account: string): number {
    return this.accounts.has(account) ? this.work.everyMs(this.accounts.settings(account)) : 0;
  }
}
