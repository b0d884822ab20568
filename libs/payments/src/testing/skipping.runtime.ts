import { Runtime, type CancelTimer } from '../runtime/runtime.js';

/** Time that nobody waits for: it jumps to each timer as soon as that is set. Or it stands still, until it is moved. */
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
