import type { Runtime } from './runtime.js';

/**
 * A time limit that uses both clocks of this machine. The monotonic clock stops while a laptop sleeps; the wall clock can be
 * set back. The limit is over as soon as one of them says so.
 */
export class TimeLimit {
  private readonly elapsedAtStart: number;
  private readonly timeAtStart: number;

  constructor(
    private readonly runtime: Runtime,
    private readonly ms: number,
    startOf?: TimeLimit,
  ) {
    this.elapsedAtStart = startOf?.elapsedAtStart ?? runtime.elapsed();
    this.timeAtStart = startOf?.timeAtStart ?? runtime.now();
  }

  /** Milliseconds left; 0 or less when the time is over. */
  get leftMs(): number {
    const passed = this.runtime.elapsed() - this.elapsedAtStart;
    return this.ms - Math.max(passed, this.runtime.now() - this.timeAtStart);
  }

  /** The limit with the same start after at most so many milliseconds. */
  atMost(ms: number): TimeLimit {
    return new TimeLimit(this.runtime, Math.min(this.ms, ms), this);
  }

  get isOver(): boolean {
    return this.leftMs <= 0;
  }
}
