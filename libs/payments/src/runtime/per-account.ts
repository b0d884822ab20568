/** One value for each account, made at its first use. */
export class PerAccount<T> {
  private readonly made = new Map<string, T>();

  constructor(private readonly make: (account: string) => T) {}

  /** The values made so far. */
  all(): T[] {
    return [...this.made.values()];
  }

  of(account: string): T {
    const known = this.made.get(account);
    if (known) return known;
    const made = this.make(account);
    this.made.set(account, made);
    return made;
  }
}
