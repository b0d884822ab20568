import { Logger } from '@nestjs/common';
import type { Observable, Subscription } from 'rxjs';
import { WORK_LOOP } from './backoff.js';
import type { Runtime } from './runtime.js';

/** How work is claimed and done. */
export interface WorkSource<T> {
  runtime: Runtime;
  /** Name of the work, for the log. */
  name: string;
  /** How many pieces of work this process does at the same time. */
  concurrency: () => number;
  /** Milliseconds between claims when nothing wakes the loop: other replicas may have left work. */
  idleMs: () => number;
  /** Emits when there may be new work. */
  wakeUps: Observable<unknown>;
  /** Whether finished work makes other work claimable, such as the next call of a stream. */
  chained?: () => boolean;
  /** Claims at most `limit` pieces. */
  claim(limit: number): Promise<readonly T[]>;
  /** Does one piece and stores its outcome. The loop only logs an error that it throws. */
  work(item: T): Promise<void>;
}

/**
 * Claims work and does it, up to `concurrency` pieces at the same time, until it is stopped. A slow piece blocks no other
 * piece. When the store fails, the loop waits longer after each failure.
 */
export class WorkLoop<T> {
  private readonly logger = new Logger('Tillkit');
  private readonly running = new Set<Promise<void>>();
  private stopping = new AbortController();
  private loop: Promise<void> | null = null;
  private subscription: Subscription | null = null;
  private awake = false;
  /** Whether the last claim was full, so that there may be more work. */
  private more = false;
  private wakeUp: (() => void) | null = null;
  private failures = 0;

  constructor(private readonly source: WorkSource<T>) {}

  start(): void {
    if (this.loop) return;
    this.stopping = new AbortController();
    this.subscription = this.source.wakeUps.subscribe(() => this.wake());
    this.loop = this.run();
  }

  /** Claims work soon. */
  wake(): void {
    this.awake = true;
    this.wakeUp?.();
  }

  /** Stops claiming. Resolves when the running work has ended, after `graceMs` milliseconds at the latest. */
  async stop(graceMs = WORK_LOOP.drainMs): Promise<void> {
    this.subscription?.unsubscribe();
    this.stopping.abort();
    this.wake();
    await this.loop;
    this.loop = null;
    const grace = new AbortController();
    await Promise.race([
      Promise.allSettled(this.running),
      this.source.runtime.pause(graceMs, grace.signal),
    ]);
    grace.abort();
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const free = this.free();
      if (free > 0) {
        this.awake = false;
        const claimed = await this.claim(free);
        this.more = claimed.length === free;
        for (const item of claimed) this.begin(item);
      }
      await this.rest();
    }
  }

  private free(): number {
    return this.source.concurrency() - this.running.size;
  }

  private async claim(limit: number): Promise<readonly T[]> {
    try {
      const claimed = await this.source.claim(limit);
      this.failures = 0;
      return claimed;
    } catch (error) {
      this.failures += 1;
      if (this.failures === 1) {
        this.logger.error(
          `the store could not claim ${this.source.name}; the next claim follows soon: ${messageOf(error)}`,
        );
      }
      return [];
    }
  }

  private begin(item: T): void {
    const work = this.source
      .work(item)
      .catch((error: unknown) => this.logger.error(`${this.source.name}: ${messageOf(error)}`))
      .finally(() => {
        this.running.delete(work);
        if (this.source.chained?.()) this.awake = true;
        this.wakeUp?.();
      });
    this.running.add(work);
  }

  /** Waits until the next claim is worth its cost. */
  private async rest(): Promise<void> {
    const began = this.source.runtime.elapsed();
    const backOffMs = this.failures > 0 ? this.backOffMs() : 0;
    while (!this.stopping.signal.aborted) {
      const restedMs = this.source.runtime.elapsed() - began;
      const wanted = restedMs >= backOffMs && this.free() > 0 && (this.more || this.awake);
      if (wanted && (restedMs >= WORK_LOOP.gatherMs || this.isWorthwhile())) return;
      const dueMs =
        this.failures > 0 ? backOffMs : wanted ? WORK_LOOP.gatherMs : this.source.idleMs();
      if (restedMs >= dueMs) return;
      await this.pause(dueMs - restedMs);
    }
  }

  /** Whether a claim can fill half of the places, or no work runs. */
  private isWorthwhile(): boolean {
    const halfFree = this.free() * 2 >= this.source.concurrency();
    return this.running.size === 0 || (this.more && halfFree);
  }

  private backOffMs(): number {
    const idleMs = this.source.idleMs();
    const pause = idleMs * 2 ** Math.min(this.failures, 10);
    return Math.min(pause, Math.max(WORK_LOOP.longestPauseMs, idleMs));
  }

  /** Waits for `ms` milliseconds, or until a wake-up or finished work ends the wait. */
  private async pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.source.runtime.timer(ms, resolve);
      this.wakeUp = () => {
        cancel();
        resolve();
      };
    });
    this.wakeUp = null;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
