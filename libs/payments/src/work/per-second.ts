import type { Runtime } from './runtime.js';

/** Lets something happen a number of times in any second. */
export class PerSecond {
  private times: number[] = [];

  constructor(
    private readonly most: number,
    private readonly runtime: Runtime,
  ) {}

  /** False when it has happened too often; then this time does not count. */
  take(): boolean {
    const now = this.runtime.elapsed();
    this.times = this.times.filter((at) => at > now - 1_000);
    if (this.times.length >= this.most) return false;
    this.times.push(now);
    return true;
  }
}
