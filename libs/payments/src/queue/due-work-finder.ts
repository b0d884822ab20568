import { Injectable } from '@nestjs/common';
import { AccountRegistry } from '../accounts/account-registry.js';
import { type CancelTimer, Runtime, SECOND } from '../runtime/clock.js';
import { doubled } from '../runtime/retry.js';
import { DueWorkStore, type DueWork } from '../store/due-work.store.js';
import { errorText, SafeLogger } from '../runtime/logging.js';

/** A process waits so long between its looks for work that is due. */
const LOOKS = {
  /** The first wait after this process has done what may make other work due. It doubles. */
  firstMs: 500,
  /** The wait while this process is idle, if no account has the setting `reconciliation.intervalMs`. */
  everyMs: 5 * SECOND,
  /** The longest wait after several looks that failed. */
  longestPauseMs: 5 * SECOND,
  /** The least wait between two looks, however much becomes due. */
  leastMs: 50,
} as const;

interface Claimer {
  isDue(work: DueWork): boolean;
  claim(): void;
}

/**
 * Looks for due work: one statement and one timer for all work loops and all accounts of a process. Only loops with due work then
 * claim. Each look says when the next one is worth its cost. This process looks often while what it does makes more work due; else it
 * looks only for what other processes have left.
 */
@Injectable()
export class DueWorkFinder {
  private readonly logger = new SafeLogger();
  private readonly claimers = new Set<Claimer>();
  private cancel: CancelTimer | null = null;
  private nextAt = Number.POSITIVE_INFINITY;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private isLooking = false;
  /** Looks since this process has worked. */
  private idleLooks = 0;
  private failures = 0;
  /** The wait between two looks of an idle process. */
  private everyMs: number = LOOKS.everyMs;

  constructor(
    private readonly store: DueWorkStore,
    private readonly accounts: AccountRegistry,
    private readonly runtime: Runtime,
  ) {
    const { firstMs, leastMs } = LOOKS;
    accounts.backgroundChanges$.subscribe((why) =>
      this.expect(why === 'opened' ? firstMs : leastMs),
    );
  }

  /** Looks for work of a claimer, until the returned function is called. */
  watch(claimer: Claimer): () => void {
    this.claimers.add(claimer);
    this.everyMs = this.idleMs();
    this.lookWithin(this.everyMs);
    return () => {
      this.claimers.delete(claimer);
      if (this.claimers.size > 0) return;
      this.cancel?.();
      this.nextAt = Number.POSITIVE_INFINITY;
    };
  }

  /** Looks in time, because this process has stored work that becomes due after `inMs` milliseconds, or may have. */
  expect(inMs: number = LOOKS.firstMs): void {
    if (inMs <= this.everyMs) this.idleLooks = 0;
    this.lookWithin(inMs);
  }

  private lookWithin(ms: number): void {
    if (this.claimers.size === 0) return;
    const leastMs = this.failures > 0 ? this.pauseMs() : Math.min(LOOKS.leastMs, this.everyMs);
    const at = Math.max(this.runtime.elapsed() + ms, this.lookedAt + leastMs);
    if (at >= this.nextAt) return;
    this.nextAt = at;
    if (!this.isLooking) this.setTimer();
  }

  private setTimer(): void {
    this.cancel?.();
    const waitMs = Math.max(0, this.nextAt - this.runtime.elapsed());
    this.cancel = this.runtime.timer(waitMs, () => void this.look());
  }

  private async look(): Promise<void> {
    this.isLooking = true;
    this.nextAt = Number.POSITIVE_INFINITY;
    this.lookedAt = this.runtime.elapsed();
    this.everyMs = this.idleMs();
    try {
      const work = await this.store.look(this.accounts.lookedFor(), this.everyMs);
      this.failures = 0;
      this.accounts.loadForWork(work.accounts);
      for (const claimer of this.claimers) if (claimer.isDue(work)) claimer.claim();
      if (work.nextMs !== null) this.lookWithin(work.nextMs);
    } catch (error) {
      this.failed(error);
    }
    this.lookWithin(this.pauseMs());
    this.idleLooks += 1;
    this.isLooking = false;
    if (this.claimers.size > 0) this.setTimer();
  }

  private failed(error: unknown): void {
    this.failures += 1;
    if (this.failures > 1 || this.claimers.size === 0) return;
    const text = errorText(error);
    this.logger.error(`the store could not be asked for due work; it is asked again soon: ${text}`);
  }

  private pauseMs(): number {
    const { firstMs, longestPauseMs } = LOOKS;
    return this.failures > 0
      ? doubled(firstMs, longestPauseMs, this.failures)
      : doubled(firstMs, this.everyMs, this.idleLooks + 1);
  }

  /** Returns the shortest interval of an account. */
  private idleMs(): number {
    const intervals = this.accounts
      .reconciled()
      .map(({ reconciliation }) => reconciliation.intervalMs);
    return intervals.length > 0 ? Math.min(...intervals) : LOOKS.everyMs;
  }
}
