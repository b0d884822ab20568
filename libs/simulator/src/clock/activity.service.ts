/** Counts work in flight (deliveries, requests being answered), so that a test can wait until there is none. */
export class ActivityTracker {
  private readonly running = new Map<symbol, { isAwaited: boolean }>();
  private waiting: (() => void)[] = [];

  get count(): number {
    return this.running.size;
  }

  /** @returns the function to call when the work is over; calling it twice does no harm. */
  begin(): () => void {
    const key = Symbol();
    this.running.set(key, { isAwaited: true });
    return () => {
      if (!this.running.delete(key) || this.running.size > 0) return;
      const waiting = this.waiting;
      this.waiting = [];
      for (const wake of waiting) wake();
    };
  }

  async whenIdle(): Promise<void> {
    while (this.running.size > 0) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /**
   * Waits until no work is in flight. After `graceMs` of real time it stops waiting for the work that still runs, in later
   * calls too: a receiver that hangs must not stop the clock, because its timeout runs on that clock.
   */
  async whenIdleOrHung(graceMs: number): Promise<void> {
    if (![...this.running.values()].some((work) => work.isAwaited)) return;
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<'hung'>((resolve) => {
      timer = setTimeout(resolve, graceMs, 'hung');
    });
    const outcome = await Promise.race([this.whenIdle(), grace]);
    clearTimeout(timer);
    if (outcome === 'hung') for (const work of this.running.values()) work.isAwaited = false;
  }
}
