import { Injectable } from '@nestjs/common';
import { AccountsStore } from '../store/accounts.store.js';
import { StoreUnavailableError } from '../payments.errors.js';

/** Names of one statement, and which of them the store has. */
interface Batch {
  names: Set<string>;
  found: Promise<ReadonlySet<string>>;
}

/** No page of the store is longer. */
const MOST_AT_ONCE = 200;

/**
 * Which accounts were ever in use. Anybody can post to any name, so this costs one statement at a time, whatever the number of names: those that
 * are asked for meanwhile share the next one.
 */
@Injectable()
export class StoredNames {
  private gathering: Batch | null = null;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly store: AccountsStore) {}

  /**
   * Whether an account was ever in use.
   * @throws StoreUnavailableError when the store does not answer, or when too many names are asked for
   */
  async has(account: string): Promise<boolean> {
    const batch = (this.gathering ??= this.gather());
    if (batch.names.size >= MOST_AT_ONCE && !batch.names.has(account))
      throw new StoreUnavailableError('it is asked for too many accounts');
    batch.names.add(account);
    return (await batch.found).has(account);
  }

  private gather(): Batch {
    const names = new Set<string>();
    const found = this.last.then(async () => {
      this.gathering = null;
      const { items } = await this.store.list({ among: [...names] }, { limit: MOST_AT_ONCE });
      return new Set(items);
    });
    this.last = found.catch(() => undefined);
    return { names, found };
  }
}
