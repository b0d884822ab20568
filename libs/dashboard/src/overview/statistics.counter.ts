import { Injectable } from '@nestjs/common';
import type { Statistics } from '@tillkit/payments/store';
import { DashboardAccount } from '../start/dashboard.account.js';
import type { StatisticsWindow } from './statistics.window.js';

/** How many times longer a count is kept than it took: a store is busy with counting a tenth of the time at most. */
const KEPT_FOR = 10;
const MOST_MS = 60_000;

/** Counts kept at once: the windows that operators choose from, and a few of their own. */
const MOST_KEPT = 12;

export interface Counted {
  statistics: Statistics;
  at: Date;
}

interface Kept {
  counted: Promise<Counted>;
  /** On the clock that never jumps; unset while it is being counted. */
  goodUntil?: number;
}

/**
 * Counts what operators watch. Over a million payments that takes seconds, and a wall of screens asks for it all the
 * time: whoever asks while it is counted waits for the same count, and what was slow to count is kept for a while.
 */
@Injectable()
export class StatisticsCounter {
  private readonly kept = new Map<string, Kept>();

  constructor(private readonly account: DashboardAccount) {}

  count(window: StatisticsWindow): Promise<Counted> {
    const key = window.name ?? `${window.from.getTime()} ${window.to.getTime()}`;
    const known = this.kept.get(key);
    if (known && (known.goodUntil === undefined || performance.now() < known.goodUntil)) {
      return known.counted;
    }
    return this.countAnew(key, window);
  }

  private countAnew(key: string, window: StatisticsWindow): Promise<Counted> {
    const startedAt = performance.now();
    const entry: Kept = { counted: this.statistics(window) };
    this.kept.delete(key);
    this.kept.set(key, entry);
    const oldest = this.kept.keys().next().value;
    if (this.kept.size > MOST_KEPT && oldest !== undefined) this.kept.delete(oldest);
    entry.counted.then(
      () => {
        const took = performance.now() - startedAt;
        entry.goodUntil = performance.now() + Math.min(took * KEPT_FOR, MOST_MS);
      },
      () => {
        if (this.kept.get(key) === entry) this.kept.delete(key);
      },
    );
    return entry.counted;
  }

  private async statistics({ from, to }: StatisticsWindow): Promise<Counted> {
    const statistics = await this.account.store.statistics(this.account.name, { from, to });
    return { statistics, at: new Date() };
  }
}
