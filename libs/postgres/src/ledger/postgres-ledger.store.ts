import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  HELD_ROW,
  LedgerStore,
  StoreUnavailableError,
  type Committed,
  type LedgerChange,
  type WrittenCall,
} from '@tillkit/payments/store';
import { GroupCommit } from '../group-commit.js';
import { writeOperationChange } from '../operations/operation.row.js';
import type { Database } from '../postgres.database.js';
import { violates } from '../postgres.errors.js';
import { json } from '../row.js';
import { storableJson } from '../storable.js';
import { writeTransactionChange } from '../transactions/transaction.row.js';
import { ledgerCommitSql } from '../generated/sql.js';

/** The unique index of platform ids. */
const PLATFORM_ID_TAKEN = 'operation_platform_id';

/** A change that was not made, because another transaction holds one of its rows. */
const HELD = 'held';

type Outcome = Committed | null | typeof HELD;

/** The result of `commit_changes`. */
type CommitResult =
  { kind: 'committed'; at: number; calls: readonly WrittenCall[] } | { kind: 'refused' | 'held' };

export class PostgresLedgerStore extends LedgerStore {
  private readonly changing: GroupCommit<LedgerChange, Outcome>;
  private readonly open = new Set<Promise<Committed | null>>();

  constructor(
    private readonly database: Database,
    private readonly limits: { maxQueued: number; timeoutMs: number },
  ) {
    super();
    this.changing = new GroupCommit({
      commit: (changes) => this.commitAll(changes),
      maxRows: 50,
      inFlight: 2,
      ...limits,
    });
  }

  async commit(change: LedgerChange): Promise<Committed | null> {
    const committed = this.commitWhenFree(change);
    this.open.add(committed);
    try {
      return await committed;
    } finally {
      this.open.delete(committed);
    }
  }

  async drain(): Promise<void> {
    await Promise.allSettled(this.open);
    await this.changing.drain();
  }

  /** A change with a held row does not block its group. It is tried again with a later group. */
  private async commitWhenFree(change: LedgerChange): Promise<Committed | null> {
    const giveUpAt = performance.now() + this.limits.timeoutMs;
    for (
      let pauseMs: number = HELD_ROW.firstMs;
      ;
      pauseMs = Math.min(pauseMs * 2, HELD_ROW.longestMs)
    ) {
      const committed = await this.changing.add(change);
      if (committed !== HELD) return committed;
      if (performance.now() > giveUpAt) {
        throw new StoreUnavailableError(
          `another transaction held its row for ${this.limits.timeoutMs} ms`,
        );
      }
      await sleep(pauseMs);
    }
  }

  private async commitAll(changes: readonly LedgerChange[]): Promise<Outcome[]> {
    // Each commit has its own token: no other process can know it.
    const token = randomUUID();
    try {
      const rows = await this.database.rows(ledgerCommitSql, [
        storableJson(changes.map(write)),
        token,
      ]);
      return rows.map((row) => read(json<CommitResult>(row, 'result')));
    } catch (error) {
      if (changes.length === 1 && violates(error, PLATFORM_ID_TAKEN)) return [null];
      throw error;
    }
  }
}

function read(result: CommitResult): Outcome {
  if (result.kind !== 'committed') return result.kind === 'held' ? HELD : null;
  return { at: new Date(result.at), calls: result.calls };
}

function write({ account, operation, transaction, events, history, claim }: LedgerChange) {
  return {
    account,
    operation: operation && writeOperationChange(operation),
    transaction: transaction && writeTransactionChange(transaction),
    events,
    history,
    claim,
  };
}
