import { setImmediate as nextTurn } from 'node:timers/promises';
import { ActivityTracker } from './activity.service.js';
import type { NumberRange } from '../values/number-range.js';
import { TaskQueue, type ScheduledTask } from './task-queue.service.js';

/** The longest delay of `setTimeout`. For a later task the timer is set again. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The times that the platform can write, in milliseconds since 1970: up to the year 9999. */
export const MOMENT: NumberRange = { min: 0, max: Date.UTC(9999, 0) };

/** `advance` waits this many milliseconds of real time for one delivery, before it moves the clock on. */
const GRACE_MS = 1_000;

/**
 * The platform's clock: real time plus an offset. The simulator schedules everything on this clock, so a test moves it
 * instead of sleeping.
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

  /** Returns the platform's time, in milliseconds since 1970. */
  now(): number {
    return Date.now() + this.advancedMs + this.skewMs;
  }

  /** Monotonic time in milliseconds. `advance` moves it; `skew` and the system's clock don't. */
  timeline(): number {
    return performance.now() + this.advancedMs;
  }

  /**
   * Moves the clock and runs the tasks that become due, in order, each at its own time. Before the next task it waits
   * until the deliveries of the last one are answered, at most one second of real time.
   */
  async advance(ms: number): Promise<void> {
    if (!Number.isFinite(ms) || ms < 0) {
      throw new RangeError(
        `clock.advance needs a number of milliseconds of 0 or more, not ${ms}: the clock cannot go back. To simulate a wrong clock, use clock.skew.`,
      );
    }
    this.assertMoment('advance', this.advancedMs + ms + this.skewMs);
    const turn = this.moving.then(() => this.move(ms));
    this.moving = turn.catch(() => undefined);
    await turn;
  }

  /**
   * Makes the `Date` headers and timestamps of the platform wrong by this many milliseconds (negative: behind). No task
   * becomes due.
   */
  skew(ms: number): void {
    this.assertMoment('skew', this.advancedMs + ms);
    this.skewMs = ms;
  }

  /** Runs a task after a delay on this clock. */
  schedule(delayMs: number, run: () => void): ScheduledTask {
    const task = this.queue.push(this.timeline() + delayMs, run);
    this.arm();
    return task;
  }

  /** Resolves after a delay on this clock. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.schedule(ms, resolve);
    });
  }

  /** Runs the tasks that are due. @returns true when there were any. */
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

  /** Cancels all tasks. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.queue.clear();
  }

  private assertMoment(method: string, offsetMs: number): void {
    const moment = Date.now() + offsetMs;
    if (moment >= MOMENT.min && moment <= MOMENT.max) return;
    throw new RangeError(
      `ms of clock.${method} would move the clock out of the years 1970 to 9998. Use a smaller number.`,
    );
  }

  private async move(ms: number): Promise<void> {
    const target = this.timeline() + ms;
    this.isMoving = true;
    try {
      for (;;) {
        await nextTurn();
        await this.activity.whenIdleOrHung(GRACE_MS);
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
    // We add whole milliseconds, as in `now`. Otherwise `now` could be 1 ms less than the requested time.
    this.advancedMs += Math.ceil(Math.max(0, moment - this.timeline()));
  }

  private arm(): void {
    clearTimeout(this.timer);
    // While `advance` moves the clock, only `advance` runs tasks: a timer could run them out of order.
    const next = this.stopped || this.isMoving ? undefined : this.queue.peek();
    if (!next) return;
    const delay = Math.min(Math.max(0, next.at - this.timeline()), LONGEST_TIMER_MS);
    this.timer = setTimeout(() => this.runDue(), delay);
    // A scheduled task does not keep the process alive. Only the server does.
    this.timer.unref();
  }
}
