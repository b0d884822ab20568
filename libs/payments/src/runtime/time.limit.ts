import type { Runtime } from './runtime.js';

/**
 * A time within which something must happen, by both clocks of this machine: the one that only goes forward stands still
 * while a laptop sleeps, the other one can be set back. Whichever says that the time is over is believed.
 */
export class TimeLimit {
  private readonly elapsedAtStart: number;
  private readonly timeAtStart: number;

  constructor(
    private readonly runtime: Runtime,
    private readonly ms: number,
  ) {
    this.elapsedAtStart = runtime.elapsed();
    this.timeAtStart = runtime.now();
  }

  /** Milliseconds left; 0 or less when the time is over. */
  get leftMs(): number {
    const passed = this.runtime.elapsed() - this.elapsedAtStart;
    return this.ms - Math.max(passed, this.runtime.now() - this.timeAtStart);
  }

  get isOver(): boolean {
    return this.leftMs <= 0;
  }
}
