import { setImmediate as nextTurn } from 'node:timers/promises';
import { ActivityTracker } from './activity.service.js';
import { TaskQueue, type ScheduledTask } from './task-queue.service.js';

/** The longest that `setTimeout` can wait; a later task is looked at again then. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How long of real time `advance` waits for one delivery before it moves the clock on. */
const GRACE_MS = 1_000;

/**
 * The platform's clock: real time plus an offset. What the simulator does later hangs on this clock, so a test that
 * moves it never sleeps.
 *
 * @publicApi
 */
export class SimulatedClock {
  private readonly queue = new TaskQueue();
  private advancedMs = 0;
  private skewMs = 0;
  private timer: NodeJS.Timeout | undefined;
  private moving: Promise<void> = Promise.resolve();
  private isMoving = false;
  private stopped = false;

  constructor(private readonly activity: ActivityTracker) {}

  /** What the platform believes to be the time, in milliseconds since 1970. */
  now(): number {
    return Date.now() + this.advancedMs + this.skewMs;
  }

  /** Milliseconds on a line that only goes forward: `advance` moves it, `skew` and the system's clock don't. */
  timeline(): number {
    return performance.now() + this.advancedMs;
  }

  /**
   * Moves the clock and runs, in order, what became due: each at its own moment, and what it sends answered before
   * the next (a receiver that doesn't answer within a second of real time is not waited for any longer).
   */
  async advance(ms: number): Promise<void> {
    if (!Number.isFinite(ms) || ms < 0) {
      throw new RangeError(
        `clock.advance takes milliseconds of 0 or more, not ${ms}: this clock only goes forward. For a wrong clock use skew.`,
      );
    }
    const turn = this.moving.then(() => this.move(ms));
    this.moving = turn.catch(() => undefined);
    await turn;
  }

  /**
   * Sets the platform's clock wrong by so many milliseconds (negative: behind): its `Date` headers and timestamps. Nothing
   * becomes due by it.
   */
  skew(ms: number): void {
    this.skewMs = ms;
  }

  /** Runs something later on this clock. */
  schedule(delayMs: number, run: () => void): ScheduledTask {
    const task = this.queue.push(this.timeline() + delayMs, run);
    this.arm();
    return task;
  }

  /** Resolves later on this clock. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.schedule(ms, resolve);
    });
  }

  /** Runs what is due by now. @returns whether there was anything. */
  runDue(): boolean {
    let ran = false;
    for (
      let task = this.queue.peek();
      task && task.at <= this.timeline();
      task = this.queue.peek()
    ) {
      this.queue.shift()?.();
      ran = true;
    }
    this.arm();
    return ran;
  }

  /** Cancels everything that is due later. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.queue.clear();
  }

  private async move(ms: number): Promise<void> {
    const target = this.timeline() + ms;
    this.isMoving = true;
    try {
      for (;;) {
        await nextTurn();
        await this.activity.whenQuietOrHung(GRACE_MS);
        const task = this.queue.peek();
        if (!task || task.at > target) break;
        this.moveTo(task.at);
        this.queue.shift()?.();
      }
      this.moveTo(target);
    } finally {
      this.isMoving = false;
      this.arm();
    }
  }

  private moveTo(moment: number): void {
    // Whole milliseconds, as in `now`: otherwise `now` could be 1 ms less than the requested time.
    this.advancedMs += Math.ceil(Math.max(0, moment - this.timeline()));
  }

  private arm(): void {
    clearTimeout(this.timer);
    // While the clock is being moved, the mover alone runs the tasks: otherwise two would, out of order.
    const next = this.stopped || this.isMoving ? undefined : this.queue.peek();
    if (!next) return;
    const delay = Math.min(Math.max(0, next.at - this.timeline()), LONGEST_TIMER_MS);
    this.timer = setTimeout(() => this.runDue(), delay);
    // The server keeps the process alive, not what it might do later.
    this.timer.unref();
  }
}
