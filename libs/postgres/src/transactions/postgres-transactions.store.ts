import {
  MOST_FOUND,
  TransactionsStore,
  type Page,
  type PageRequest,
  type TransactionFilter,
  type TransactionRecord,
  type UntiedQuery,
} from '@tillkit/payments/store';
import { readPage } from '../page.query.js';
import type { Database } from '../postgres.database.js';
import { text } from '../row.js';
import { storableHash, storableText } from '../storable.js';
import { amountHash, readTransaction, referenceHash } from './transaction.row.js';
import { listTransactions } from './transactions.query.js';
import { transactionsFindManySql, transactionsFindUntiedSql } from '../generated/sql.js';

export class PostgresTransactionsStore extends TransactionsStore {
  constructor(private readonly database: Database) {
    super();
  }

  async findMany(
    account: string,
    references: readonly string[],
  ): Promise<ReadonlyMap<string, TransactionRecord>> {
    const byHash = new Map(references.map((reference) => [referenceHash(reference), reference]));
    const rows = await this.database.rows(transactionsFindManySql, [account, [...byHash.keys()]]);
    return new Map(
      rows.map((row) => [byHash.get(text(row, 'reference_hash')) as string, readTransaction(row)]),
    );
  }

  async findUntied(account: string, query: UntiedQuery): Promise<TransactionRecord[]> {
    const { currency, amountMinor, payerHash, from, to } = query;
    const rows = await this.database.rows(transactionsFindUntiedSql, [
      account,
      amountHash(query),
      storableHash(payerHash),
      from.getTime(),
      to.getTime(),
      ...[amountMinor, currency, payerHash].map(storableText),
      MOST_FOUND,
    ]);
    return rows.map(readTransaction);
  }

  list(
    account: string,
    filter: TransactionFilter,
    page: PageRequest,
  ): Promise<Page<TransactionRecord>> {
    return readPage(this.database, page, readTransaction, (limit, after) =>
      listTransactions(account, filter, limit, after),
    );
  }
}
