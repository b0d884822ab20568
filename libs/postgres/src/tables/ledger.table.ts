import { setTimeout as sleep } from 'node:timers/promises';
import {
  StoreUnavailableError,
  type LedgerChange,
  type TransactionRecord,
  type UntiedQuery,
} from '@tillkit/payments/store';
import { GroupCommit } from '../group-commit.js';
import type { Database } from '../postgres.database.js';
import { violates } from '../postgres.errors.js';
import { writePaymentChange } from '../rows/payment.row.js';
import { optionalTime } from '../rows/row.js';
import {
  amountHash,
  readTransaction,
  referenceHash,
  writeTransactionChange,
} from '../rows/transaction.row.js';
import { COMMIT_CHANGES, FIND_TRANSACTION, FIND_UNTIED_TRANSACTIONS } from '../sql/ledger.sql.js';
import { storableHash, storableJson, storableText } from '../storable.js';

/** Two payments cannot have one platform id. */
const PLATFORM_ID_TAKEN = 'payment_platform_id';

/** Of a change that was not made, since another transaction holds a row of it. */
const HELD = 'held';
const HELD_AT = -1;

/** Pauses between two attempts of a change whose rows are held; each is twice the one before. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 200;

type Committed = Date | null | typeof HELD;

export class LedgerTable {
  private readonly changing: GroupCommit<LedgerChange, Committed>;
  private readonly open = new Set<Promise<Date | null>>();

  constructor(
    private readonly database: Database,
    private readonly limits: { maxQueued: number; timeoutMs: number },
  ) {
    this.changing = new GroupCommit({
      commit: (changes) => this.commitAll(changes),
      maxRows: 50,
      inFlight: 2,
      ...limits,
    });
  }

  async commit(change: LedgerChange): Promise<Date | null> {
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

  /** A row that somebody holds takes no place of others: its change is tried again with the next group. */
  private async commitWhenFree(change: LedgerChange): Promise<Date | null> {
    const giveUpAt = performance.now() + this.limits.timeoutMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
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

  async findTransaction(account: string, reference: string): Promise<TransactionRecord | null> {
    const [row] = await this.database.rows(FIND_TRANSACTION, [account, referenceHash(reference)]);
    return row ? readTransaction(row) : null;
  }

  async findUntied(account: string, query: UntiedQuery): Promise<TransactionRecord[]> {
    const { currency, amountMinor, payerHash, from, to } = query;
    const rows = await this.database.rows(FIND_UNTIED_TRANSACTIONS, [
      account,
      amountHash(query),
      storableHash(payerHash),
      from.getTime(),
      to.getTime(),
      ...[amountMinor, currency, payerHash].map(storableText),
    ]);
    return rows.map(readTransaction);
  }

  private async commitAll(changes: readonly LedgerChange[]): Promise<Committed[]> {
    try {
      const rows = await this.database.rows(COMMIT_CHANGES, [storableJson(changes.map(write))]);
      return rows.map((row) =>
        Number(row['committed_at']) === HELD_AT ? HELD : optionalTime(row, 'committed_at'),
      );
    } catch (error) {
      if (changes.length === 1 && violates(error, PLATFORM_ID_TAKEN)) return [null];
      throw error;
    }
  }
}

function write({ account, payment, transaction, events, history }: LedgerChange) {
  return {
    account,
    payment: payment && writePaymentChange(payment),
    transaction: transaction && writeTransactionChange(transaction),
    events,
    history,
  };
}
