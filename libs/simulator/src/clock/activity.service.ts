/** Counts what is in flight (deliveries, requests being answered), so that a test can wait for quiet. */
export class ActivityTracker {
  private readonly running = new Map<symbol, { patience: boolean }>();
  private waiting: (() => void)[] = [];

  get count(): number {
    return this.running.size;
  }

  /** @returns the function to call when the work is over; calling it twice does no harm. */
  begin(): () => void {
    const key = Symbol();
    this.running.set(key, { patience: true });
    return () => {
      if (!this.running.delete(key) || this.running.size > 0) return;
      const waiting = this.waiting;
      this.waiting = [];
      for (const wake of waiting) wake();
    };
  }

  async whenQuiet(): Promise<void> {
    while (this.running.size > 0) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /**
   * Waits for quiet, but for each piece of work at most once as long as `graceMs` of real time: a receiver that
   * hangs must not stop the clock, whose moving on is what ends the wait for it.
   */
  async whenQuietOrHung(graceMs: number): Promise<void> {
    if (![...this.running.values()].some((work) => work.patience)) return;
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<'hung'>((resolve) => {
      timer = setTimeout(resolve, graceMs, 'hung');
    });
    const outcome = await Promise.race([this.whenQuiet(), grace]);
    clearTimeout(timer);
    if (outcome === 'hung') for (const work of this.running.values()) work.patience = false;
  }
}
