import { Runtime } from '../runtime/clock.js';

/** A clock that the test moves. Timers are real. */
export class MovedRuntime extends Runtime {
  private time = Date.UTC(2026, 0, 20, 12);

  override now(): number {
    return this.time;
  }

  advance(ms: number): void {
    this.time += ms;
  }
}
