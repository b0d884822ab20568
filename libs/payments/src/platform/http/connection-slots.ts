import { untilDeadline } from './request-deadline.js';

/**
 * The connections to one origin, counted by us. In the queue of Node's agent a create would wait after we have asked whether it may be sent, and
 * would be sent although somebody has paused sending meanwhile, or its time is over.
 */
export class ConnectionSlots {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Takes a slot if one is free. */
  tryTake(): boolean {
    if (this.free === 0) return false;
    this.free -= 1;
    return true;
  }

  /** Waits for a slot, in order. False when the time is over or the application closes first. */
  async take(timeoutMs: number, shutdown: AbortSignal): Promise<boolean> {
    if (shutdown.aborted) return false;
    return new Promise((resolve) => {
      const begin = (): void => {
        clear();
        resolve(true);
      };
      const clear = untilDeadline(timeoutMs, shutdown, () => {
        this.waiting.splice(this.waiting.indexOf(begin), 1);
        resolve(false);
      });
      this.waiting.push(begin);
    });
  }

  give(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free += 1;
  }
}
