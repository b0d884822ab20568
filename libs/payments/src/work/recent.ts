import type { Runtime } from './runtime.js';

/** Limit of values. The oldest are forgotten. */
const MOST = 2_000;

/**
 * A value is not found after ten minutes, and deleted when the next one is put: it may contain personal data, which retention redacts in the
 * store only.
 */
const FOR_MS = 10 * 60_000;

/** The values that were put last, by name. */
export class Recent<T> {
  /** In the order in which they were put. */
  private readonly entries = new Map<string, { value: T; at: number }>();

  constructor(private readonly runtime: Pick<Runtime, 'elapsed'>) {}

  get(name: string): T | null {
    const entry = this.entries.get(name);
    return entry && !this.isOld(entry) ? entry.value : null;
  }

  put(name: string, value: T): void {
    this.entries.delete(name);
    this.entries.set(name, { value, at: this.runtime.elapsed() });
    for (const [oldest, entry] of this.entries) {
      if (!this.isOld(entry) && this.entries.size <= MOST) return;
      this.entries.delete(oldest);
    }
  }

  /** Whether it was there. */
  delete(name: string): boolean {
    return this.entries.delete(name);
  }

  private isOld({ at }: { at: number }): boolean {
    return this.runtime.elapsed() - at > FOR_MS;
  }
}
