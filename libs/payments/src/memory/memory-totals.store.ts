import { isFinal } from '../ledger/operation-states.js';
import { NEVER } from 'rxjs';
import { PerAccount } from '../runtime/per-account.js';
import { quarterOf, timeClass, type Measure, type TotalChange } from '../money/total.js';
import {
  requireOrder,
  TotalsStore,
  type Total,
  type TotalsQuery,
} from '../store/statistics.store.js';
import type { MemoryOperationsStore } from './memory-operations.store.js';

type Key = Pick<Total, 'measure' | 'kind' | 'name' | 'till' | 'currency'>;

/** A total of one quarter of an hour. */
interface Kept extends Key {
  quarter: Date;
  count: number;
  minor: bigint;
}

/** An amount or a count, and the total to which it is added. */
type Added = Key & { at: Date; count: number; minor: string };

export class MemoryTotals {
  private readonly accounts = new PerAccount(() => new Map<string, Kept>(), NEVER);

  /** @param at when the changes are committed */
  add(account: string, changes: readonly TotalChange[], at: Date): void {
    for (const change of changes) {
      const counted = change.at ?? at;
      const isTime = change.measure === 'time';
      const name = isTime ? String(timeClass(at.getTime() - counted.getTime())) : change.name;
      this.addOne(account, { ...change, name, at: counted });
    }
  }

  all(account: string): Kept[] {
    return [...this.accounts.get(account).values()];
  }

  deleteOld(account: string, before: number): void {
    const kept = this.accounts.get(account);
    for (const [id, { quarter }] of kept) if (quarter.getTime() <= before) kept.delete(id);
  }

  private addOne(account: string, { at, count, minor, ...key }: Added): void {
    const { measure, kind, name, till, currency } = key;
    const quarter = quarterOf(at);
    const id = JSON.stringify([quarter, measure, kind, name, till, currency]);
    const kept = this.accounts.get(account);
    const before = kept.get(id) ?? {
      measure,
      kind,
      name,
      till,
      currency,
      quarter,
      count: 0,
      minor: 0n,
    };
    kept.set(id, { ...before, count: before.count + count, minor: before.minor + BigInt(minor) });
  }
}

export class MemoryTotalsStore extends TotalsStore {
  constructor(
    private readonly totals: MemoryTotals,
    private readonly operations: MemoryOperationsStore,
  ) {
    super();
  }

  async read(account: string, query: TotalsQuery): Promise<Total[]> {
    requireOrder(query);
    const { measures, boundaries } = query;
    const wanted = new Set<Measure>(measures);
    const sums = new Map<string, Kept & { span: number }>();
    for (const kept of [...this.totals.all(account), ...this.open(account)]) {
      const span = boundaries.findLastIndex((boundary) => kept.quarter >= boundary);
      if (!wanted.has(kept.measure) || span < 0 || span === boundaries.length - 1) continue;
      const { measure, kind, name, till, currency } = kept;
      const id = JSON.stringify([span, measure, kind, name, till, currency]);
      const before = sums.get(id) ?? { ...kept, span, count: 0, minor: 0n };
      sums.set(id, {
        ...before,
        count: before.count + kept.count,
        minor: before.minor + kept.minor,
      });
    }
    return [...sums.values()]
      .filter(({ count, minor }) => count !== 0 || minor !== 0n)
      .map(({ quarter: _, minor, ...total }) => ({ ...total, minor: String(minor) }));
  }

  /** Operations that are not final are counted as they are now. */
  private open(account: string): Kept[] {
    return this.operations
      .all(account)
      .filter(({ state }) => !isFinal(state))
      .map(({ kind, state, tills, amount, amountMinor, createdAt }) => ({
        measure: 'open',
        kind,
        name: state,
        till: tills[0] ?? '',
        currency: amount.currency,
        quarter: quarterOf(createdAt),
        count: 1,
        minor: BigInt(amountMinor),
      }));
  }
}
