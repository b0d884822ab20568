import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Observable, Subscription } from 'rxjs';

/** How work is claimed and done. */
export interface WorkSource<T> {
  /** What is worked on, for the log. */
  name: string;
  /** Pieces of work at once in this process. */
  concurrency: number;
  /** Milliseconds between looks when nothing wakes us: another replica may have left work. */
  idleMs: number;
  /** Tells that there may be work now. */
  news: Observable<unknown>;
  /** Claims at most so many pieces. */
  claim(limit: number): Promise<readonly T[]>;
  /** Does one piece, and says how it ended. Must not throw. */
  work(item: T): Promise<void>;
}

const LONGEST_PAUSE_MS = 5_000;

/** How long a stop waits for what is under way. What takes longer is claimed again after its lease, elsewhere. */
const DRAIN_MS = 10_000;

/**
 * Claims work and does it, as much at once as allowed, until it is stopped. A slow piece holds one place only: the rest
 * goes on. After a failure of the store it waits a little longer each time.
 */
export class WorkLoop<T> {
  private readonly logger = new Logger('Tillkit');
  private readonly running = new Set<Promise<void>>();
  private stopping = new AbortController();
  private loop: Promise<void> | null = null;
  private subscription: Subscription | null = null;
  private awake = false;
  private wakeUp: (() => void) | null = null;
  private failures = 0;

  constructor(private readonly source: WorkSource<T>) {}

  start(): void {
    if (this.loop) return;
    this.stopping = new AbortController();
    this.subscription = this.source.news.subscribe(() => this.wake());
    this.loop = this.run();
  }

  /** Looks for work now. */
  wake(): void {
    this.awake = true;
    this.wakeUp?.();
  }

  /** Claims nothing more, and resolves once what is under way has ended, after `graceMs` at the latest. */
  async stop(graceMs = DRAIN_MS): Promise<void> {
    this.subscription?.unsubscribe();
    this.stopping.abort();
    this.wake();
    await this.loop;
    this.loop = null;
    const grace = new AbortController();
    await Promise.race([
      Promise.allSettled(this.running),
      sleep(graceMs, undefined, { signal: grace.signal }).catch(() => undefined),
    ]);
    grace.abort();
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.awake = false;
      const free = this.source.concurrency - this.running.size;
      const claimed = free > 0 ? await this.claim(free) : [];
      for (const item of claimed) this.begin(item);
      // A full claim means there may be more; anything less, and we wait to be woken.
      if (claimed.length < free || free <= 0) await this.rest();
    }
  }

  private async claim(limit: number): Promise<readonly T[]> {
    try {
      const claimed = await this.source.claim(limit);
      this.failures = 0;
      return claimed;
    } catch (error) {
      this.failures += 1;
      if (this.failures === 1) {
        this.logger.error(`${this.source.name} cannot be claimed for now: ${messageOf(error)}`);
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
        this.wake();
      });
    this.running.add(work);
  }

  private async rest(): Promise<void> {
    if (this.awake || this.stopping.signal.aborted) return;
    const pause = Math.min(
      this.source.idleMs * 2 ** Math.min(this.failures, 10),
      Math.max(LONGEST_PAUSE_MS, this.source.idleMs),
    );
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pause);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wakeUp = null;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
