import { Runtime, type CancelTimer } from '../runtime/clock.js';

/** A clock whose time passes only when a test says so, and whose timers run then. */
export class SteppedRuntime extends Runtime {
  private time = 0;
  private timers: { at: number; call: () => void }[] = [];

  override elapsed(): number {
    return this.time;
  }

  override timer(ms: number, call: () => void): CancelTimer {
    const timer = { at: this.time + ms, call };
    this.timers.push(timer);
    return () => void (this.timers = this.timers.filter((one) => one !== timer));
  }

  /** The time that each timer still waits, in milliseconds. */
  get waits(): number[] {
    return this.timers.map(({ at }) => at - this.time);
  }

  advance(ms: number): void {
    this.time += ms;
    const due = this.timers.filter(({ at }) => at <= this.time);
    this.timers = this.timers.filter(({ at }) => at > this.time);
    for (const { call } of due) call();
  }
}
