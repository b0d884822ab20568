import type { Observable } from 'rxjs';
import { includes, type AccountScope } from './account-scope.js';

/** One value for each account, made at its first use. */
export class PerAccount<T> {
  private readonly made = new Map<string, T>();

  /** @param forgotten$ the accounts whose values are not needed any more; `NEVER` for stores, which keep what is stored */
  constructor(
    private readonly make: (account: string) => T,
    forgotten$: Observable<string>,
  ) {
    forgotten$.subscribe((account) => this.made.delete(account));
  }

  /** The values made so far, with their accounts. */
  entries(): [account: string, value: T][] {
    return [...this.made];
  }

  /** The values made so far. */
  all(): T[] {
    return [...this.made.values()];
  }

  /** The values made so far for accounts of a scope. */
  within(scope: AccountScope): T[] {
    const names =
      'allBut' in scope
        ? [...this.made.keys()].filter((account) => includes(scope, account))
        : scope.filter((account) => this.made.has(account));
    return names.map((account) => this.of(account));
  }

  of(account: string): T {
    const existing = this.made.get(account);
    if (existing) return existing;
    const made = this.make(account);
    this.made.set(account, made);
    return made;
  }
}
