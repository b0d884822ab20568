import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ClosingSignal } from '../http/closing.signal.js';
import { PlatformClock } from '../http/platform.clock.js';
import { PaymentsStore, type SweepProgress } from '../ledger/payments.store.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { PlatformClient } from '../resources/platform.client.js';
import { Runtime } from '../runtime/runtime.js';
import { TillSweeper } from '../ledger/till.sweeper.js';

const DAY_MS = 86_400_000;

/** The first sweep comes this soon after the start, so that a process that restarts often sweeps all the same. */
const FIRST_SWEEP_MS = 30_000;

/** Longest window asked for in one request. */
const LONGEST_WINDOW_MS = DAY_MS;

/** Each window begins this long before the last one ended. */
const OVERLAP_MS = 15 * 60_000;

/** The last two days are covered again every six hours, for entries that the platform lists late. */
const RECOVER_MS = 2 * DAY_MS;
const RECOVER_EVERY_MS = 6 * 3_600_000;

/** After a sweep that failed, payments that wait for one do not start another for so long. */
const AFTER_FAILURE_MS = 60_000;

/** Lists may take minutes to be ready. Payments wait for a sweep in its first seconds only: others need the place. */
const WAIT_FOR_SWEEP_MS = 10_000;

/** By this much two readings of the platform's clock may differ. */
const CLOCK_ERROR_MS = 60_000;

/**
 * Longer than reading and taking one window mostly takes; it is claimed anew for each. Two that sweep one window do no harm, and
 * a process that died holds the others up for so long.
 */
const LEASE_MS = 5 * 60_000;

/** Sweeps on schedule for till transactions whose webhook never came; one replica at a time. */
@Injectable()
export class SweepSchedule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Tillkit');
  private readonly owner: string;
  private running: Promise<boolean> | null = null;
  private begunAt = 0;
  private loop: Promise<void> = Promise.resolve();
  private hasClaimed = false;
  private failedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly store: PaymentsStore,
    private readonly sweeper: TillSweeper,
    private readonly client: PlatformClient,
    private readonly clock: PlatformClock,
    private readonly closing: ClosingSignal,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime,
  ) {
    this.owner = runtime.id();
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.store.init();
    await this.store.msSinceFirstStart(this.options.account);
    const { enabled, sweepEveryMs } = this.options.reconciliation;
    if (enabled) this.loop = this.begin(sweepEveryMs);
  }

  async onModuleDestroy(): Promise<void> {
    this.closing.close();
    await Promise.allSettled([this.loop, this.running]);
    if (this.hasClaimed) await this.release();
  }

  /** Sweeps everything since the last whole window. False when another replica is at it. One that runs is joined. */
  sweep(): Promise<boolean> {
    if (this.running) return this.running;
    this.begunAt = this.runtime.elapsed();
    this.running = this.sweepOnce()
      .catch((error: unknown) => {
        this.failedAt = this.runtime.elapsed();
        throw error;
      })
      .finally(() => (this.running = null));
    return this.running;
  }

  /**
   * Whether everything up to a time was read, after reading it if need be.
   * @throws Error when reading it fails or takes long: who asks has other work to do
   */
  async covers(time: Date): Promise<boolean> {
    const reached = async (): Promise<boolean> =>
      plausible(await this.progress(), this.clock.now()).watermark >= time;
    if (await reached()) return true;
    // Lists that are away are not asked again for each payment that waits for them.
    if (this.runtime.elapsed() < this.failedAt + AFTER_FAILURE_MS) return false;
    const sweep = this.sweep();
    const leftMs = Math.max(0, this.begunAt + WAIT_FOR_SWEEP_MS - this.runtime.elapsed());
    const late = (): Error => new Error('the sweep that it waits for is still under way');
    return (await this.runtime.inTime(sweep, leftMs, late)) && reached();
  }

  private async begin(everyMs: number): Promise<void> {
    // Fixes where sweeps begin to emit events, as soon as the platform's time is known.
    await this.progress().catch(() => undefined);
    if (everyMs > 0) await this.sweepOnSchedule(everyMs);
  }

  /**
   * How far sweeps have read. The first time ever, they begin at the first start of any process, on the platform's clock: what
   * is older emits no events.
   */
  private async progress(): Promise<SweepProgress> {
    await this.client.learnClock();
    const { account } = this.options;
    const sinceStartMs = await this.store.msSinceFirstStart(account);
    const start = wholeSecond(new Date(this.clock.now().getTime() - sinceStartMs));
    return this.store.sweepProgress(account, start);
  }

  private async sweepOnSchedule(everyMs: number): Promise<void> {
    const firstMs = Math.min(everyMs, FIRST_SWEEP_MS);
    if (!(await this.closing.pause(this.runtime.jittered(firstMs)))) return;
    do {
      try {
        await this.sweep();
      } catch (error) {
        this.logger.warn(`a sweep ended early and will go on from where it was: ${String(error)}`);
      }
    } while (await this.closing.pause(everyMs));
  }

  private async sweepOnce(): Promise<boolean> {
    const { account } = this.options;
    if (!(await this.store.claimSweep(account, this.owner, LEASE_MS))) return false;
    this.hasClaimed = true;
    const kept = await this.progress();
    const now = this.clock.now();
    const progress = plausible(kept, now);
    const whole = await this.cover(
      new Date(progress.watermark.getTime() - OVERLAP_MS),
      now,
      progress,
      true,
    );
    // Closing ends a sweep between two windows: what was not read must not count as read.
    if (!whole) return true;
    if (
      !progress.recoveredAt ||
      now.getTime() - progress.recoveredAt.getTime() >= RECOVER_EVERY_MS
    ) {
      // Two days before the last time, not before now: lists may have been away for longer than two days.
      const since = Math.min(now.getTime(), (progress.recoveredAt ?? progress.sweepFrom).getTime());
      const recovered = await this.cover(new Date(since - RECOVER_MS), now, progress, false);
      if (recovered)
        await this.store.saveSweep(account, this.owner, { watermark: now, recoveredAt: now });
    }
    return true;
  }

  /** Else nobody would sweep after a deployment until the lease is over. A store that is away keeps it until then. */
  private async release(): Promise<void> {
    await this.store.claimSweep(this.options.account, this.owner, 0).catch(() => false);
  }

  /** Window by window; the watermark moves only after a window was read whole. False when it ended early. */
  private async cover(
    from: Date,
    to: Date,
    { sweepFrom, recoveredAt }: SweepProgress,
    moves: boolean,
  ): Promise<boolean> {
    const { account } = this.options;
    for (let start = from.getTime(); start < to.getTime(); start += LONGEST_WINDOW_MS) {
      if (this.closing.signal.aborted) return false;
      const end = new Date(Math.min(start + LONGEST_WINDOW_MS, to.getTime()));
      if (!(await this.sweeper.sweep(new Date(start), end, sweepFrom))) return false;
      // Who lost the right to sweep has read this window, but another one's watermark is not to be moved.
      if (
        moves &&
        !(await this.store.saveSweep(account, this.owner, { watermark: end, recoveredAt }))
      )
        return false;
      if (!(await this.store.claimSweep(account, this.owner, LEASE_MS))) return false;
    }
    return true;
  }
}

/**
 * Sweeps that were made while a clock was ahead count up to a time that has not come: none of it was read. The last two days
 * are read again then.
 */
function plausible(progress: SweepProgress, now: Date): SweepProgress {
  if (progress.watermark.getTime() <= now.getTime() + CLOCK_ERROR_MS) return progress;
  const watermark = new Date(now.getTime() - RECOVER_MS);
  return { ...progress, watermark, recoveredAt: watermark };
}

/** The platform gives times in whole seconds: money from the second of the start counts as new. */
function wholeSecond(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}
