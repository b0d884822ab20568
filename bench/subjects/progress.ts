/** Counts what has been done, and tells when it is enough. */
export class Progress {
  count = 0;
  private waiting: { count: number; resolve: () => void } | null = null;

  add(): void {
    this.count += 1;
    if (this.waiting && this.count >= this.waiting.count) this.waiting.resolve();
  }

  /** Resolves after this many since the start. */
  async until(count: number): Promise<void> {
    if (this.count >= count) return;
    await new Promise<void>((resolve) => (this.waiting = { count, resolve }));
  }
}
