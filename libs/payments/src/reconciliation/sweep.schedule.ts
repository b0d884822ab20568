import { randomUUID } from 'node:crypto';
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
import { TillSweeper } from './till.sweeper.js';

const DAY_MS = 86_400_000;

/** Longest window asked for in one request. */
const LONGEST_WINDOW_MS = DAY_MS;

/** Each window begins this long before the last one ended. */
const OVERLAP_MS = 15 * 60_000;

/** The last two days are covered again every six hours, for entries that the platform lists late. */
const RECOVER_MS = 2 * DAY_MS;
const RECOVER_EVERY_MS = 6 * 3_600_000;

/** Longer than reading and taking one window may take; it is claimed anew for each. */
const LEASE_MS = 15 * 60_000;

/** Sweeps on schedule for till transactions whose webhook never came; one replica at a time. */
@Injectable()
export class SweepSchedule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Tillkit');
  private readonly owner = randomUUID();
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: PaymentsStore,
    private readonly sweeper: TillSweeper,
    private readonly clock: PlatformClock,
    private readonly closing: ClosingSignal,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.store.init();
    // Fixes where news begins, before anything is sold: what is older is history.
    await this.store.sweepProgress(this.options.account, wholeSecond(this.clock.now()));
    const { enabled, sweepEveryMs } = this.options.reconciliation;
    if (!enabled || sweepEveryMs === 0) return;
    this.timer = setInterval(() => {
      this.running = this.sweepQuietly();
    }, sweepEveryMs);
    this.timer.unref();
  }

  async onModuleDestroy(): Promise<void> {
    this.closing.close();
    if (this.timer) clearInterval(this.timer);
    await this.running;
  }

  /** Sweeps everything since the last whole window. False when another replica is at it. */
  async sweep(): Promise<boolean> {
    const { account } = this.options;
    if (!(await this.store.claimSweep(account, this.owner, LEASE_MS))) return false;
    const now = this.clock.now();
    const progress = await this.store.sweepProgress(account, now);
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
      const recovered = await this.cover(
        new Date(now.getTime() - RECOVER_MS),
        now,
        progress,
        false,
      );
      if (recovered)
        await this.store.saveSweep(account, this.owner, { watermark: now, recoveredAt: now });
    }
    return true;
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
      await this.sweeper.sweep(new Date(start), end, sweepFrom);
      if (moves) await this.store.saveSweep(account, this.owner, { watermark: end, recoveredAt });
      await this.store.claimSweep(account, this.owner, LEASE_MS);
    }
    return true;
  }

  private async sweepQuietly(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      this.logger.warn(`a sweep ended early and will go on from where it was: ${String(error)}`);
    }
  }
}

/** The platform tells times in whole seconds: news of the second in which we started is news. */
function wholeSecond(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}
