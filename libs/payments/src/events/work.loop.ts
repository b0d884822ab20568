import { Logger } from '@nestjs/common';
import type { Observable, Subscription } from 'rxjs';
import type { Runtime } from '../runtime/runtime.js';

/** How work is claimed and done. */
export interface WorkSource<T> {
  runtime: Runtime;
  /** What is worked on, for the log. */
  name: string;
  /** Pieces of work at once in this process. */
  concurrency: number;
  /** Milliseconds between looks when nothing wakes us: another replica may have left work. */
  idleMs: number;
  /** Tells that there may be work now. */
  news: Observable<unknown>;
  /** Whether what is done lets other work be claimed, such as the next of a line. */
  chained?: boolean;
  /** Claims at most so many pieces. */
  claim(limit: number): Promise<readonly T[]>;
  /** Does one piece, and says how it ended. Must not throw. */
  work(item: T): Promise<void>;
}

const LONGEST_PAUSE_MS = 5_000;

/** While work is under way, what comes is gathered for so long: a claim of many costs the store what a claim of one does. */
const GATHER_MS = 5;

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
  /** Whether the last claim was full: there may be more. */
  private more = false;
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
    return this.source.concurrency - this.running.size;
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
        if (this.source.chained) this.awake = true;
        this.wakeUp?.();
      });
    this.running.add(work);
  }

  /** Until it is worth claiming again. */
  private async rest(): Promise<void> {
    const began = this.source.runtime.elapsed();
    const backOffMs = this.failures > 0 ? this.backOffMs() : 0;
    while (!this.stopping.signal.aborted) {
      const restedMs = this.source.runtime.elapsed() - began;
      const wanted = restedMs >= backOffMs && this.free() > 0 && (this.more || this.awake);
      if (wanted && (restedMs >= GATHER_MS || this.isWorthwhile())) return;
      const dueMs = this.failures > 0 ? backOffMs : wanted ? GATHER_MS : this.source.idleMs;
      if (restedMs >= dueMs) return;
      await this.pause(dueMs - restedMs);
    }
  }

  /** Whether a claim would bring as much as it can, or is all there is to do. */
  private isWorthwhile(): boolean {
    const halfFree = this.free() * 2 >= this.source.concurrency;
    return this.running.size === 0 || (this.more && halfFree);
  }

  private backOffMs(): number {
    const pause = this.source.idleMs * 2 ** Math.min(this.failures, 10);
    return Math.min(pause, Math.max(LONGEST_PAUSE_MS, this.source.idleMs));
  }

  /** For so long, or until something may have changed. */
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
