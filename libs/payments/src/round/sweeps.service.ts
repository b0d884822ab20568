import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import {
  accountAttributes,
  type AccountWork,
  AccountRegistry,
  namesOf,
} from '../accounts/account-registry.js';
import type { CurrentSettings, PaymentsSettings } from '../accounts/payments.settings.js';
import type { PaymentRecord } from '../operations/payments/payment.js';
import { Resources } from '../platform/resources.js';
import { AccountSchedule } from '../queue/account.schedule.js';
import { DueWorkFinder } from '../queue/due-work-finder.js';
import { DAY, HOUR, MINUTE, renewedWhile, Runtime, SECOND } from '../runtime/clock.js';
import { SafeLogger } from '../runtime/logging.js';
import { PerAccount } from '../runtime/per-account.js';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { ATTRIBUTE, CONVENTION, METRICS } from '../runtime/telemetry/metrics-list.js';
import { record } from '../runtime/telemetry/metrics.js';
import { inSpan } from '../runtime/telemetry/spans.js';
import { errorType } from '../runtime/telemetry/telemetry.js';
import { Concealed } from '../runtime/validate-input.js';
import { AccountsStore } from '../store/accounts.store.js';
import {
  PlannedWorkStore,
  type SweepProgress,
  SweepsStore,
  type SweptProgress,
} from '../store/due-work.store.js';
import { beforeSending, type MoneyWindow, windowIsWholeAt } from '../tills/match-window.js';
import { PaymentMatcher } from '../tills/payment-matcher.js';
import { type SweptLists, withWindow } from '../tills/swept-lists.js';
import { TillSweeper } from '../tills/till-sweeper.js';

const SWEEPING = {
  /** The first sweep runs this soon after the start, so that a process that restarts often still sweeps. */
  firstMs: 30 * SECOND,
  /** A recovery sweep reads the last two days again every six hours, for transactions that the platform lists late. */
  recoverMs: 2 * DAY,
  recoverEveryMs: 6 * HOUR,
  /** After a failed sweep, operations that wait for one do not start another for this long. */
  afterFailureMs: MINUTE,
  /** A list may take minutes to be ready. An operation waits only this long for a sweep, so that other operations can proceed. */
  waitedForMs: 10 * SECOND,
  /** The lease is renewed while the sweep runs. Two processes may sweep one window without harm. When a process dies, the others wait this long. */
  leaseMs: 25 * SECOND,
  /** If the process of a planned sweep dies, another one begins it this much later. What is left of it is always more than of the lease above. */
  plannedLeaseMs: 45 * SECOND,
  /** Sweeps wait for the platform most of the time. */
  accountsAtOnce: 20,
} as const;

/** Longest window of one polling request. */
const LONGEST_WINDOW_MS = DAY;

/** Each sweep begins this long before the watermark: so one sweep has the lists of the whole window of each payment whose window it ends. */
const OVERLAP_MS = 20 * 60_000;

/** Two readings of the platform's clock may differ by this much. */
const CLOCK_ERROR_MS = 60_000;

/** The sweeps of one account in this process. */
interface SweepsHere {
  running: Promise<boolean> | null;
  begunAt: number;
  failedAt: number;
  hasClaimed: boolean;
}

/** Sweeps an account from where the last sweep ended, and says how far sweeps have read. One replica at a time sweeps an account. */
@Injectable()
export class AccountSweeps {
  private readonly owner: string;
  private readonly sweeps: PerAccount<SweepsHere>;

  constructor(
    private readonly sweepsStore: SweepsStore,
    private readonly accountsStore: AccountsStore,
    private readonly sweeper: TillSweeper,
    private readonly matcher: PaymentMatcher,
    private readonly resources: Resources,
    private readonly shutdown: ShutdownSignal,
    private readonly accounts: AccountRegistry,
    private readonly runtime: Runtime,
  ) {
    this.owner = runtime.id();
    this.sweeps = new PerAccount<SweepsHere>(
      () => ({
        running: null,
        begunAt: 0,
        failedAt: Number.NEGATIVE_INFINITY,
        hasClaimed: false,
      }),
      accounts.closed$,
    );
  }

  /**
   * Sweeps from the watermark to now. A call during a sweep of this process waits for that sweep.
   * @returns false when another replica sweeps
   * @throws PlatformError | PlatformTimeoutError | CircuitOpenError when a window could not be read; the next sweep continues there
   */
  sweep(account: string): Promise<boolean> {
    const sweeps = this.sweeps.get(account);
    if (sweeps.running) return sweeps.running;
    sweeps.begunAt = this.runtime.elapsed();
    sweeps.running = this.sweepOnce(account)
      .catch((error: unknown) => {
        sweeps.failedAt = this.runtime.elapsed();
        throw error;
      })
      .finally(() => (sweeps.running = null));
    return sweeps.running;
  }

  /**
   * Has a payment without a platform id matched: by the sweep that reaches the end of its window, or, where a sweep has passed it, by reading its window
   * again. Nothing happens before its window has ended.
   * @throws Error when the platform gives no list, or the sweep takes long, so that the caller can do other work
   */
  async match(payment: PaymentRecord): Promise<void> {
    const { account, sentAt } = payment;
    const wholeAt = windowIsWholeAt(sentAt);
    if (!sentAt || !wholeAt) return;
    const { progress, now } = await this.progress(account);
    if (now < wholeAt) return;
    if (progress.watermark < wholeAt) {
      await this.sweepInTime(account);
      return;
    }
    const from = beforeSending(sentAt);
    let lists = this.listsOf(account, from);
    for (const window of windowsOf({ from, to: wholeAt }, progress.sweepFrom)) {
      const unread = await this.sweeper.sweep(account, window, progress.sweepFrom, 'follow-up');
      if (!unread) return;
      lists = withWindow(lists, window, unread);
    }
    await this.matcher.match(payment, lists);
  }

  /** Sweeps, or waits for the sweep that runs, for a short time. After a failed sweep, not every waiting payment starts another one. */
  private async sweepInTime(account: string): Promise<void> {
    const sweeps = this.sweeps.get(account);
    if (this.runtime.elapsed() < sweeps.failedAt + SWEEPING.afterFailureMs) return;
    const sweep = this.sweep(account);
    const leftMs = Math.max(0, sweeps.begunAt + SWEEPING.waitedForMs - this.runtime.elapsed());
    await this.runtime.inTime(sweep, leftMs, () => new Error('the sweep is still running'));
  }

  /** Stores from when on the sweeps of each account emit events, as soon as the clock of its platform is known. */
  async noteStarts(): Promise<void> {
    const accounts = this.accounts.reconciled();
    await Promise.allSettled(accounts.map(({ account }) => this.progress(account)));
  }

  /**
   * Returns the time up to which sweeps have read, and the time of the platform. The very first sweep begins a minute before the first
   * start of any process, by the platform's clock: older transactions emit no events. The minute is for an error of that clock, which may
   * be as large as the delay of the answer that it was read from.
   */
  private async progress(account: string): Promise<{ progress: SweepProgress; now: Date }> {
    const clock = await this.resources.resources(account).client.learnClock();
    const sinceStartMs = await this.accountsStore.msSinceFirstStart(account);
    const start = clock.now().getTime() - sinceStartMs - CLOCK_ERROR_MS;
    const progress = await this.sweepsStore.progress(account, new Date(start));
    const now = clock.now();
    return { progress: this.plausible(account, progress, now.getTime()), now };
  }

  private async sweepOnce(account: string): Promise<boolean> {
    const claim = (): Promise<boolean> =>
      this.sweepsStore.claim(account, this.owner, SWEEPING.leaseMs);
    if (!(await claim())) return false;
    this.sweeps.get(account).hasClaimed = true;
    await renewedWhile(this.runtime, SWEEPING.leaseMs, claim, () =>
      this.observed(account, () => this.sweepClaimed(account)),
    );
    return true;
  }

  /** Runs a sweep as a span, and measures it. */
  private async observed(account: string, sweep: () => Promise<void>): Promise<void> {
    const beganAt = this.runtime.elapsed();
    const attributes = { [ATTRIBUTE.account]: account };
    let result = {};
    try {
      await inSpan({ name: 'sweep', kind: 'internal', trace: 'alone', attributes }, sweep);
    } catch (error) {
      result = { [CONVENTION.errorType]: errorType(error) };
      throw error;
    } finally {
      record(METRICS.sweepDuration, this.runtime.elapsed() - beganAt, {
        ...result,
        ...accountAttributes(this.accounts, account),
      });
    }
  }

  private async sweepClaimed(account: string): Promise<void> {
    const { progress, now } = await this.progress(account);
    const from = new Date(progress.watermark.getTime() - OVERLAP_MS);
    const swept = await this.cover(account, { from, to: now }, progress, true);
    // The application closes, or the lease was lost, between two windows: unread windows must not count as read.
    if (!swept) return;
    if (
      !progress.recoveredAt ||
      now.getTime() - progress.recoveredAt.getTime() >= SWEEPING.recoverEveryMs
    ) {
      // The span begins two days before the last recovery, not before now: the platform's lists may have been unavailable for longer.
      const since = Math.min(now.getTime(), (progress.recoveredAt ?? progress.sweepFrom).getTime());
      const all = { from: new Date(since - SWEEPING.recoverMs), to: now };
      const recovered = await this.cover(account, all, swept, false);
      if (recovered) await this.save(account, { ...recovered, watermark: now, recoveredAt: now });
    }
  }

  private save(account: string, swept: SweptProgress): Promise<boolean> {
    return this.sweepsStore.save(account, this.owner, swept);
  }

  /**
   * Waits for running sweeps, then releases the leases, so that another process can sweep at once after a deployment. If the store fails, a lease ends
   * by itself.
   */
  async release(): Promise<void> {
    const claimed = this.accounts
      .all()
      .filter(({ account }) => this.sweeps.get(account).hasClaimed);
    await Promise.all(
      claimed.map(async ({ account }) => {
        await Promise.allSettled([this.sweeps.get(account).running]);
        await this.sweepsStore.claim(account, this.owner, 0).catch(() => false);
      }),
    );
  }

  /**
   * Sweeps window by window, and matches the payments whose window has ended with the lists that it has in hand. The watermark moves only after that.
   * Null when it ended early.
   */
  private async cover(
    account: string,
    all: MoneyWindow,
    progress: SweepProgress,
    moves: boolean,
  ): Promise<SweepProgress | null> {
    const scope = this.scopeOf(account);
    const { recoveredAt, sweepFrom } = progress;
    let lists = this.listsOf(account, all.from);
    for (const window of windowsOf(all, sweepFrom)) {
      if (this.shutdown.signal.aborted) return null;
      const unread = await this.sweeper.sweep(account, window, sweepFrom);
      if (!unread) return null;
      const since = lists.to;
      lists = withWindow(lists, window, unread);
      await this.matcher.matchAll(lists, since);
      // A process that has lost the lease must not move the watermark of the process that has it now.
      if (moves && !(await this.save(account, { watermark: window.to, recoveredAt, scope })))
        return null;
      if (!(await this.sweepsStore.claim(account, this.owner, SWEEPING.leaseMs))) return null;
    }
    return { ...progress, scope };
  }

  /** Lists of which none is read yet. */
  private listsOf(account: string, from: Date): SweptLists {
    const { scope, scopeReference } = this.accounts.settings(account).reconciliation.sweepScope;
    const till = scope === 'company' ? null : scopeReference;
    return { account, till, from, to: from, unread: [] };
  }

  /**
   * Reads the last two days again after a watermark that cannot be right: in the future, which a sweep wrote while a clock was wrong, or
   * of other tills than those that are read today.
   */
  private plausible(account: string, progress: SweepProgress, now: number): SweepProgress {
    const { watermark, scope } = progress;
    const isOfOthers = scope !== null && scope !== this.scopeOf(account);
    if (watermark.getTime() <= now + CLOCK_ERROR_MS && !isOfOthers) return progress;
    const since = new Date(Math.min(watermark.getTime(), now - SWEEPING.recoverMs));
    return { ...progress, watermark: since, recoveredAt: since };
  }

  private scopeOf(account: string): string {
    const { scope, scopeReference } = this.accounts.settings(account).reconciliation.sweepScope;
    return `${scope} ${scopeReference}`.trim();
  }
}

/**
 * Returns the windows of a span, each read by one request. None contains `sweepFrom`: what of it is announced would depend on times that cannot be
 * read.
 */
function* windowsOf({ from, to }: MoneyWindow, sweepFrom: Date): Generator<MoneyWindow> {
  for (let start = from, end: Date; start < to; start = end) {
    const ends = [start.getTime() + LONGEST_WINDOW_MS, to.getTime()];
    if (start < sweepFrom) ends.push(sweepFrom.getTime());
    end = new Date(Math.min(...ends));
    yield { from: start, to: end };
  }
}

/**
 * Sweeps of an account: they read transactions whose webhook never came. The library sweeps on a schedule by itself; an application
 * rarely needs this service.
 * @example
 * await sweeps.sweep(); // in a command, before the day's report
 * @see docs/guide.md#reconcile
 * @publicApi
 */
@Concealed()
export class SweepsService {
  constructor(
    private readonly sweeps: AccountSweeps,
    private readonly settings: CurrentSettings,
  ) {}

  /**
   * Sweeps from the watermark to now. A call during a sweep of this process waits for that sweep.
   * @returns false when another replica sweeps
   * @throws PlatformError | PlatformTimeoutError | CircuitOpenError when a window could not be read; the next sweep continues there
   */
  sweep(): Promise<boolean> {
    return this.sweeps.sweep(this.settings.current.account);
  }
}

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
    private readonly accounts: AccountRegistry,
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
   * Notes that accounts are in use from now on, and plans their first sweep. A removed account gets none: it would be loaded for it again and again,
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
      // The end of this process has cut it short: the platform has no problem, and another process goes on.
      if (this.shutdown.signal.aborted) return;
      this.logger.warn(`a sweep ended early and will go on from where it was: ${String(error)}`, {
        account,
      });
    }
  }
}
