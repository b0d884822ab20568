import type { Observable } from 'rxjs';
import { type AccountScope, includes } from '../store/claim.js';

/** One value for each account, made at its first use. */
export class PerAccount<T> {
  private readonly made = new Map<string, T>();

  /** @param closed$ the accounts whose values are not needed any more; `NEVER` for stores, which keep what is stored */
  constructor(
    private readonly make: (account: string) => T,
    closed$: Observable<string>,
  ) {
    closed$.subscribe((account) => this.made.delete(account));
  }

  /** Returns the values made so far, with their accounts. */
  entries(): [account: string, value: T][] {
    return [...this.made];
  }

  /** Returns the values made so far. */
  all(): T[] {
    return [...this.made.values()];
  }

  /** Returns the values made so far for accounts of a scope, with their accounts. */
  within(scope: AccountScope): [account: string, value: T][] {
    const names =
      'allBut' in scope
        ? [...this.made.keys()].filter((account) => includes(scope, account))
        : scope.filter((account) => this.made.has(account));
    return names.map((account) => [account, this.get(account)]);
  }

  get(account: string): T {
    const existing = this.made.get(account);
    if (existing) return existing;
    const made = this.make(account);
    this.made.set(account, made);
    return made;
  }
}

/** Counts by name, kept so that nobody has to count. */
export class Counts {
  private readonly counts = new Map<string, number>();

  count(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  /** Returns the names whose count is not 0. */
  names(): Iterable<string> {
    return this.counts.keys();
  }

  add(name: string): void {
    this.counts.set(name, this.count(name) + 1);
  }

  /** Takes one off. A name whose count is 0 again is deleted. */
  remove(name: string): void {
    if (this.count(name) > 1) this.counts.set(name, this.count(name) - 1);
    else this.counts.delete(name);
  }
}
