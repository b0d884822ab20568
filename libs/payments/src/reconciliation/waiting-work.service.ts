import { Injectable } from '@nestjs/common';
import { Runtime } from '../runtime/runtime.js';
import { STATISTICS } from '../runtime/backoff.js';
import { StatisticsStore, type QueueLength } from './statistics.store.js';

/** What waits, as the store last said. */
export interface WaitingWork {
  queues: readonly QueueLength[];
  /** Whether the store answered. If not, `queues` is empty. */
  isKnown: boolean;
}

const UNKNOWN: WaitingWork = { queues: [], isKnown: false };

/**
 * What waits in the store, for metrics and health checks: however many ask, however often, the store gets one statement in some seconds.
 */
@Injectable()
export class WaitingWorkService {
  private reading: Promise<WaitingWork> | null = null;
  private last: { work: WaitingWork; until: number } | null = null;

  constructor(
    private readonly statistics: StatisticsStore,
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
      work = { queues: await this.statistics.queues(), isKnown: true };
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
