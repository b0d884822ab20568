import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  LedgerStore,
  StoreUnavailableError,
  totalsOf,
  type Committed,
  type CommitWithDelivery,
  type LedgerChange,
  type NewDelivery,
  type TotalChange,
  type WrittenCall,
} from '@tillkit/payments/internal/store';
import { kindOf, noteOf, placeOf, tokenOf } from '../acknowledgements.js';
import { packPayload } from '../events/packed-payload.js';
import { BODY_BYTES, GroupCommit, type GroupLimits } from '../group-commit.js';
import { writeOperationChange } from '../operations/operation.row.js';
import type { Database } from '../postgres-database.js';
import { violates } from '../postgres.errors.js';
import { json, type Row } from '../row.js';
import { storableJson, storableTime } from '../storable.js';
import type { TotalsRollUp } from '../totals/totals-roll-up.js';
import { writeTransactionChange } from '../transactions/transaction.row.js';
import { ledgerAmountOfSql, ledgerCommitSql } from '../generated/sql.js';

/**
 * When another database transaction locks a row, we wait this long before the next attempt. Each wait is twice as long as the one before, up to the
 * longest.
 */
const HELD_ROW = { firstMs: 5, longestMs: 200 } as const;

/** A platform id or a transfer belongs to one operation only. A change that gives it to a second operation violates this key, and is refused. */
const TAKEN = ['platform_name_pkey'];

/** A change has this outcome when it was not made because another transaction holds one of its rows. */
const HELD = 'held';

/** A change, and the delivery that brought it. */
interface Item {
  change: LedgerChange;
  arrived?: Arrived;
}

interface Arrived {
  delivery: NewDelivery;
  leaseMs: number;
}

/** The result of `commit_changes` for one item, with its calls. */
type Outcome =
  | { kind: 'committed'; at: number; calls?: readonly WrittenCall[] }
  | { kind: 'stored'; token: string; receivedAt: number }
  | { kind: 'refused' | 'held' | 'duplicate' };

/** A call that a commit has written, of any of its accounts. */
type AccountCall = WrittenCall & { account: string };

export class PostgresLedgerStore extends LedgerStore {
  private readonly changing: GroupCommit<Item, Outcome>;
  private readonly open = new Set<Promise<unknown>>();

  constructor(
    private readonly database: Database,
    private readonly rollUp: TotalsRollUp,
    private readonly limits: GroupLimits,
  ) {
    super();
    this.changing = new GroupCommit({
      commit: (changes) => this.commitAll(changes),
      maxRows: 50,
      inFlight: 2,
      ...limits,
      bytes: { of: ({ arrived }) => arrived?.delivery.body.length ?? 0, ...BODY_BYTES },
    });
  }

  async commit(change: LedgerChange): Promise<Committed | null> {
    const outcome = await this.underWay(this.commitWhenFree({ change }));
    return outcome.kind === 'committed' ? committedAs(outcome) : null;
  }

  async commitWithDelivery(
    change: LedgerChange,
    delivery: NewDelivery,
    leaseMs: number,
  ): Promise<CommitWithDelivery> {
    const item = { change, arrived: { delivery, leaseMs } };
    const outcome = await this.underWay(this.changing.add(item));
    if (outcome.kind === 'committed') return { kind: 'committed', ...committedAs(outcome) };
    if (outcome.kind !== 'stored') return { kind: 'duplicate' };
    return { ...outcome, receivedAt: new Date(outcome.receivedAt) };
  }

  async amountOf(account: string, eventId: string): Promise<string | null> {
    const [row] = await this.database.rows(ledgerAmountOfSql, [account, eventId]);
    return row?.['amount'] ?? null;
  }

  async drain(): Promise<void> {
    await Promise.allSettled(this.open);
    await this.changing.drain();
  }

  private async underWay<T>(commit: Promise<T>): Promise<T> {
    this.open.add(commit);
    try {
      return await commit;
    } finally {
      this.open.delete(commit);
    }
  }

  /** A change with a held row does not block its group. It is tried again with a later group. */
  private async commitWhenFree(item: Item): Promise<Outcome> {
    const giveUpAt = performance.now() + this.limits.timeoutMs;
    for (
      let pauseMs: number = HELD_ROW.firstMs;
      ;
      pauseMs = Math.min(pauseMs * 2, HELD_ROW.longestMs)
    ) {
      // A change that asks for its guards waits for their rows, so it is committed alone.
      const outcome = item.change.operation?.asks
        ? ((await this.commitAll([item]))[0] as Outcome)
        : await this.changing.add(item);
      if (outcome.kind !== HELD) return outcome;
      if (performance.now() > giveUpAt) {
        throw new StoreUnavailableError(
          `another transaction held its row for ${this.limits.timeoutMs} ms`,
        );
      }
      await sleep(pauseMs);
    }
  }

  private async commitAll(items: readonly Item[]): Promise<Outcome[]> {
    const bodies: Buffer[] = [];
    const written = items.map((item) => write(item, bodies));
    try {
      const rows = await this.database.rows(ledgerCommitSql, [
        storableJson(written),
        // All claims of this commit have this token. No other process knows it.
        randomUUID(),
        bodies.length > 0 ? Buffer.concat(bodies) : null,
      ]);
      if (bodies.length > 0 || written.some(({ totals }) => totals !== undefined))
        this.rollUp.soon();
      const calls = json<AccountCall[]>(rows.pop() as Row, 'result');
      const outcomes = rows.map((row) => json<Outcome>(row, 'result'));
      return calls.length === 0 ? outcomes : withCalls(outcomes, items, calls);
    } catch (error) {
      const [item] = items;
      if (items.length > 1 || !TAKEN.some((index) => violates(error, index))) throw error;
      // The change is refused, but its delivery must still be stored.
      if (!item?.arrived) return [{ kind: 'refused' }];
      const { account } = item.change;
      return this.commitAll([{ ...item, change: { account, ...REFUSED } }]);
    }
  }
}

/** A change that is always refused. */
const REFUSED = { operation: { id: '', version: 0, set: {} }, events: [], history: [] };

function committedAs({ at, calls = [] }: Outcome & { kind: 'committed' }): Committed {
  return { at: new Date(at), calls };
}

/** Gives each call to the first change that has its event, because that change wrote the call. */
function withCalls(
  outcomes: readonly Outcome[],
  items: readonly Item[],
  calls: readonly AccountCall[],
): Outcome[] {
  const owners = new Map<string, WrittenCall[]>();
  const shared = outcomes.map((outcome, index) => {
    if (outcome.kind !== 'committed') return outcome;
    const { account, events } = (items[index] as Item).change;
    const own: WrittenCall[] = [];
    for (const { id } of events) {
      const name = `${account} ${id}`;
      if (!owners.has(name)) owners.set(name, own);
    }
    return { ...outcome, calls: own };
  });
  for (const { account, ...call } of calls) owners.get(`${account} ${call.eventId}`)?.push(call);
  return shared;
}

/** Returns an item as `commit_changes` reads it. Bodies of deliveries are bytes, so they are sent beside the JSON. */
function write(
  { change, arrived }: Item,
  bodies: Buffer[],
): { totals: readonly unknown[] | undefined; [part: string]: unknown } {
  const { account, operation, transaction, events, history, claim, finishes } = change;
  const totals = totalsOf(change);
  return {
    account,
    operation: operation && writeOperationChange(operation),
    transaction: transaction && writeTransactionChange(transaction),
    events: events.map((event) => ({
      ...event,
      payload: packPayload(event.payload, { id: event.id, account }),
    })),
    history: history.map(({ via, what, detail }) => [via, what, detail]),
    totals: totals.length > 0 ? totals.map(writeTotal) : undefined,
    claim,
    finishes: finishes && writeFinish(finishes),
    delivery: arrived && writeDelivery(arrived, bodies),
  };
}

/** Returns the values in the order in which `total_entries` reads them. */
function writeTotal(change: TotalChange): readonly unknown[] {
  const { measure, kind, name, till, currency, count, minor, at } = change;
  return [measure, kind, name, till, currency, count, minor, storableTime(at)];
}

function writeFinish({ claim, outcome }: NonNullable<LedgerChange['finishes']>): object {
  return {
    place: placeOf(claim),
    token: tokenOf(claim),
    kind: kindOf(outcome),
    note: noteOf(outcome),
  };
}

function writeDelivery({ delivery, leaseMs }: Arrived, bodies: Buffer[]): object {
  const { body, ...header } = delivery;
  const from = bodies.reduce((sum, { length }) => sum + length, 1);
  bodies.push(body);
  return { ...header, leaseMs, from, length: body.length };
}
