/** Counts by name, kept so that nobody has to count. */
export class Counts {
  private readonly counts = new Map<string, number>();

  of(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  /** The names whose count is not 0. */
  names(): Iterable<string> {
    return this.counts.keys();
  }

  add(name: string): void {
    this.counts.set(name, this.of(name) + 1);
  }

  /** A name whose count is 0 again is forgotten. */
  remove(name: string): void {
    if (this.of(name) > 1) this.counts.set(name, this.of(name) - 1);
    else this.counts.delete(name);
  }
}
