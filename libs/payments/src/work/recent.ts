import type { Runtime } from './runtime.js';

/** Limit of values. The oldest are forgotten. */
const MOST = 2_000;

/** A value is forgotten after ten minutes: it may contain personal data, which retention redacts in the store only. */
const FOR_MS = 10 * 60_000;

/** The values that were put last, by name. */
export class Recent<T> {
  /** In the order in which they were put. */
  private readonly entries = new Map<string, { value: T; at: number }>();

  constructor(private readonly runtime: Pick<Runtime, 'elapsed'>) {}

  get(name: string): T | null {
    this.forgetOld();
    return this.entries.get(name)?.value ?? null;
  }

  put(name: string, value: T): void {
    this.entries.delete(name);
    this.entries.set(name, { value, at: this.runtime.elapsed() });
    this.forgetOld();
  }

  /** Whether it was there. */
  delete(name: string): boolean {
    return this.entries.delete(name);
  }

  *values(): Iterable<T> {
    this.forgetOld();
    for (const { value } of this.entries.values()) yield value;
  }

  private forgetOld(): void {
    const before = this.runtime.elapsed() - FOR_MS;
    for (const [name, { at }] of this.entries) {
      if (at >= before && this.entries.size <= MOST) return;
      this.entries.delete(name);
    }
  }
}
