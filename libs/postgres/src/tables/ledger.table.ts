import type { LedgerChange, TransactionRecord, UntiedQuery } from '@tillkit/payments/store';
import { GroupCommit } from '../group-commit.js';
import type { Database } from '../postgres.database.js';
import { violates, waitedForLock } from '../postgres.errors.js';
import { writePaymentChange } from '../rows/payment.row.js';
import { optionalTime, type Row } from '../rows/row.js';
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

export class LedgerTable {
  private readonly changing: GroupCommit<LedgerChange, Date | null>;
  /** Those that wait for a lock of another transaction. They have lanes of their own, so that nobody else waits with them. */
  private readonly alone: GroupCommit<LedgerChange, Date | null>;

  constructor(
    private readonly database: Database,
    limits: { maxQueued: number; timeoutMs: number },
  ) {
    const commit = (changes: readonly LedgerChange[]) => this.commitAll(changes);
    this.changing = new GroupCommit({ commit, maxRows: 50, inFlight: 2, ...limits });
    this.alone = new GroupCommit({ commit, maxRows: 1, inFlight: 3, ...limits });
  }

  commit(change: LedgerChange): Promise<Date | null> {
    return this.changing.add(change);
  }

  async drain(): Promise<void> {
    await this.changing.drain();
    await this.alone.drain();
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

  /**
   * In the order of their money: two groups that write the same new transactions meet at the first of them. A group waits
   * for a lock only shortly (see the function); then each of its changes is tried alone.
   */
  private async commitAll(
    changes: readonly LedgerChange[],
  ): Promise<(Date | null | Promise<Date | null>)[]> {
    const written = changes
      .map((change, index) => ({ index, change: write(change) }))
      .toSorted((one, other) => (one.change.order < other.change.order ? -1 : 1));
    try {
      const rows = await this.database.rows(COMMIT_CHANGES, [
        storableJson(written.map(({ change }) => change)),
      ]);
      const results: (Date | null)[] = [];
      written.forEach(({ index }, place) => {
        results[index] = optionalTime(rows[place] as Row, 'committed_at');
      });
      return results;
    } catch (error) {
      if (changes.length === 1 && violates(error, PLATFORM_ID_TAKEN)) return [null];
      if (changes.length === 1 || !waitedForLock(error)) throw error;
      return changes.map((change) => this.alone.add(change));
    }
  }
}

function write({ account, payment, transaction, events, history }: LedgerChange) {
  return {
    order: transaction ? referenceHash(transaction.reference) : '',
    account,
    payment: payment && writePaymentChange(payment),
    transaction: transaction && writeTransactionChange(transaction),
    events,
    history,
  };
}
