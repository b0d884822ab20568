import {
  AccountsStore,
  MOST_COUNTED,
  type AccountAttention,
  type AccountClaim,
  type AccountConflict,
  type AccountFilter,
} from '../store/accounts.store.js';
import { isInReview, isOpen } from '../ledger/operation-states.js';
import type { Page, PageRequest } from '../store/transactions.store.js';
import type { MemoryDeliveriesStore } from './memory-deliveries.store.js';
import type { MemoryEventsStore } from './memory-events.store.js';
import type { MemoryOperationsStore } from './memory-operations.store.js';

/** One till or one key of an account. */
interface Owned {
  account: string;
  kind: 'till' | 'key';
  value: string;
  listsTills: boolean;
}

export class MemoryAccountsStore extends AccountsStore {
  private owned: Owned[] = [];
  private readonly startedAt = new Map<string, number>();

  constructor(
    private readonly operations: MemoryOperationsStore,
    private readonly deliveries: MemoryDeliveriesStore,
    private readonly events: MemoryEventsStore,
    private readonly now: () => number,
  ) {
    super();
  }

  async withOpenWork(accounts: readonly string[]): Promise<readonly string[]> {
    const { operations, deliveries, events } = this;
    const open = [
      ...operations.waiting(accounts, false),
      ...operations.waiting(accounts, true),
      ...deliveries.waiting(accounts, 'callback'),
      ...deliveries.waiting(accounts, 'webhook'),
      ...events.waiting(accounts),
    ].map(({ account }) => account);
    return accounts.filter((account) => open.includes(account));
  }

  async noteStarts(accounts: readonly string[]): Promise<void> {
    for (const account of accounts) {
      if (!this.startedAt.has(account)) this.startedAt.set(account, this.now());
    }
  }

  async msSinceFirstStart(account: string): Promise<number> {
    const startedAt = this.startedAt.get(account);
    return startedAt === undefined ? 0 : this.now() - startedAt;
  }

  async list(
    { beginsWith = '', among }: AccountFilter,
    { limit, after = '' }: PageRequest,
  ): Promise<Page<string>> {
    const names = [...this.startedAt.keys()]
      .filter((name) => name.startsWith(beginsWith) && name > after)
      .filter((name) => !among || among.includes(name))
      .sort();
    const items = names.slice(0, limit);
    return { items, next: names.length > limit ? (items.at(-1) ?? null) : null };
  }

  async attention(accounts: readonly string[]): Promise<readonly AccountAttention[]> {
    return accounts.map((account) => {
      const operations = this.operations.all(account);
      const deliveries = this.deliveries.all(account);
      const calls = this.events.all(account).flatMap((event) => event.calls);
      return {
        account,
        open: counted(
          operations,
          ({ state, kind }) => isOpen(state) || (state === 'created' && kind === 'payment'),
        ),
        inReview: counted(operations, isInReview),
        deadLetters: counted(calls, ({ state }) => state === 'dead'),
        unrecognised: counted(deliveries, ({ state }) => state === 'unrecognised'),
      };
    });
  }

  async isClaimedByAnother(account: string, tills: readonly string[]): Promise<boolean> {
    return this.owned.some(
      (one) => one.kind === 'till' && tills.includes(one.value) && one.account !== account,
    );
  }

  async claim(claims: readonly AccountClaim[]): Promise<readonly AccountConflict[]> {
    const names = new Set(claims.map(({ account }) => account));
    const given = claims.flatMap(ownedBy);
    // A claim replaces the keys of its account.
    const kept = this.owned.filter(({ account, kind }) => kind === 'till' || !names.has(account));
    const conflicts = given.flatMap((wanted) => [
      ...kept
        .filter(({ account }) => account !== wanted.account)
        .flatMap((other) => conflictsOf(wanted, other)),
      ...given
        .filter(({ account }) => account < wanted.account)
        .flatMap((other) => conflictsOf(wanted, other)),
    ]);
    if (conflicts.length > 0) return distinct(conflicts);
    this.owned = [...new Map([...kept, ...given].map((one) => [keyOf(one), one])).values()];
    return [];
  }

  async release(account: string, tills: readonly string[] | null): Promise<readonly string[]> {
    const released = this.owned.filter(
      (one) =>
        one.account === account &&
        (tills === null || (one.kind === 'till' && tills.includes(one.value))),
    );
    this.owned = this.owned.filter((one) => !released.includes(one));
    return released
      .filter(({ kind }) => kind === 'till')
      .map(({ value }) => value)
      .sort();
  }
}

function distinct(conflicts: readonly AccountConflict[]): AccountConflict[] {
  return [...new Map(conflicts.map((one) => [JSON.stringify(one), one])).values()];
}

function counted<T>(all: readonly T[], is: (one: T) => boolean): number {
  return Math.min(all.filter(is).length, MOST_COUNTED + 1);
}

function keyOf({ account, kind, value }: Owned): string {
  return [account, kind, value].join('/');
}

function ownedBy({ account, tills, keyHashes, listsTills }: AccountClaim): Owned[] {
  const of = (kind: Owned['kind'], value: string): Owned => ({
    account,
    kind,
    value,
    listsTills,
  });
  return [...tills.map((till) => of('till', till)), ...keyHashes.map((hash) => of('key', hash))];
}

function conflictsOf(one: Owned, other: Owned): AccountConflict[] {
  if (one.kind !== other.kind || one.value !== other.value) return [];
  const names = { account: one.account, other: other.account };
  if (one.kind === 'till') return [{ kind: 'till', ...names, till: one.value }];
  return [one, other]
    .filter(({ listsTills }) => !listsTills)
    .map(({ account }) => ({ kind: 'key', ...names, silent: account }));
}
