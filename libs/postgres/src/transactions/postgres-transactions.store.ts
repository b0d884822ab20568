import {
  MOST_FOUND,
  TransactionsStore,
  type Page,
  type PageRequest,
  type TransactionFilter,
  type TransactionRecord,
  type UntiedQuery,
} from '@tillkit/payments/internal/store';
import { readPage } from '../page.query.js';
import { GroupCommit, type GroupLimits } from '../group-commit.js';
import type { Database } from '../postgres-database.js';
import type { ReplicaReads } from '../replica-reads.js';
import { text } from '../row.js';
import { storableHash, storableText } from '../storable.js';
import { amountHash, readTransaction, referenceHash } from './transaction.row.js';
import { listTransactions } from './transactions.query.js';
import { transactionsFindManySql, transactionsFindUntiedSql } from '../generated/sql.js';

type Key = Pick<TransactionRecord, 'account' | 'reference'>;

export class PostgresTransactionsStore extends TransactionsStore {
  /** Reads that are requested at the same time share one statement. */
  private readonly finding: GroupCommit<Key, TransactionRecord | null>;

  constructor(
    private readonly database: Database,
    private readonly reads: ReplicaReads,
    limits: GroupLimits,
  ) {
    super();
    this.finding = new GroupCommit({
      commit: (keys) => this.findAll(keys),
      maxRows: 100,
      inFlight: 2,
      ...limits,
    });
  }

  override find(account: string, reference: string): Promise<TransactionRecord | null> {
    return this.finding.add({ account, reference });
  }

  async findMany(
    account: string,
    references: readonly string[],
  ): Promise<ReadonlyMap<string, TransactionRecord>> {
    const found = await this.findAll(references.map((reference) => ({ account, reference })));
    return new Map(
      references.flatMap((reference, index): [string, TransactionRecord][] => {
        const record = found[index];
        return record ? [[reference, record]] : [];
      }),
    );
  }

  private async findAll(keys: readonly Key[]): Promise<(TransactionRecord | null)[]> {
    const hashes = keys.map(({ reference }) => referenceHash(reference));
    const rows = await this.database.rows(transactionsFindManySql, [
      [...new Set(keys.map(({ account }) => account))],
      [...new Set(hashes)],
    ]);
    const found = new Map(
      rows.map((row) => [`${text(row, 'reference_hash')} ${text(row, 'account')}`, row] as const),
    );
    return keys.map(({ account }, index) => {
      const row = found.get(`${hashes[index]} ${account}`);
      return row ? readTransaction(row) : null;
    });
  }

  async findUntied(account: string, query: UntiedQuery): Promise<TransactionRecord[]> {
    const { currency, amountMinor, payerHash, from, to } = query;
    const rows = await this.database.rows(transactionsFindUntiedSql, [
      account,
      amountHash(query),
      storableHash(payerHash),
      from.getTime(),
      to.getTime(),
      ...[amountMinor, currency].map(storableText),
      MOST_FOUND,
    ]);
    return rows.map(readTransaction);
  }

  list(
    account: string,
    filter: TransactionFilter,
    page: PageRequest,
  ): Promise<Page<TransactionRecord>> {
    return readPage(
      page.mayBeOld ? this.reads : this.database,
      page,
      readTransaction,
      (limit, after) => listTransactions(account, filter, limit, after),
    );
  }
}
