import { Runtime, type CancelTimer } from '../runtime/clock.js';

/** A clock that jumps to each timer as soon as it is set, so that no test waits. A test can also move it. */
export class SkippingRuntime extends Runtime {
  private time = Date.UTC(2026, 0, 20, 12);

  override now(): number {
    return this.time;
  }

  override elapsed(): number {
    return this.time;
  }

  override random(): number {
    return 0.5;
  }

  override timer(ms: number, call: () => void): CancelTimer {
    const due = this.time + ms;
    const turn = setImmediate(() => {
      this.time = Math.max(this.time, due);
      call();
    });
    return () => clearImmediate(turn);
  }

  advance(ms: number): void {
    this.time += ms;
  }
}
