import { Injectable } from '@nestjs/common';
import { Runtime } from '../work/runtime.js';
import { STATISTICS } from '../work/backoff.js';
import { PausesStore, type Pause } from '../store/pauses.store.js';
import { StatisticsStore, type QueueLength } from '../store/statistics.store.js';

/** What waits, as the store last said. */
export interface WaitingWork {
  queues: readonly QueueLength[];
  pauses: readonly Pause[];
  /** Whether the store answered. If not, the lists are empty. */
  isKnown: boolean;
}

const UNKNOWN: WaitingWork = { queues: [], pauses: [], isKnown: false };

/**
 * What waits in the store and what is paused, for metrics and health checks: however many ask, however often, the store is asked once in some seconds.
 */
@Injectable()
export class WaitingWorkService {
  private reading: Promise<WaitingWork> | null = null;
  private last: { work: WaitingWork; until: number } | null = null;

  constructor(
    private readonly statistics: StatisticsStore,
    private readonly pauses: PausesStore,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Never throws, and ends in time, also when the store hangs.
   * @param withinMs how long to wait for the store
   */
  async read(withinMs: number = STATISTICS.readWithinMs): Promise<WaitingWork> {
    const { last } = this;
    if (last && this.runtime.elapsed() < last.until) return last.work;
    // While the store hangs, nobody asks it again.
    const reading = (this.reading ??= this.readOnce().finally(() => (this.reading = null)));
    return (await this.runtime.endsWithin(reading, withinMs)) ? reading : UNKNOWN;
  }

  private async readOnce(): Promise<WaitingWork> {
    let work = UNKNOWN;
    const beganAt = this.runtime.elapsed();
    try {
      const [queues, pauses] = await Promise.all([this.statistics.queues(), this.pauses.all()]);
      work = { queues, pauses, isKnown: true };
    } catch {
      // The store is away: that is what its metric and its health check say.
    }
    // Millions of dead letters take long to count: that must not keep the store busy.
    const now = this.runtime.elapsed();
    const keptMs = Math.max(STATISTICS.keptMs, (now - beganAt) * STATISTICS.idleShare);
    this.last = { work, until: now + keptMs };
    return work;
  }
}
