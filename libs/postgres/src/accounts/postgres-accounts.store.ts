import { AccountsStore, type AccountClaim, type AccountConflict } from '@tillkit/payments/store';
import { accountsClaimSql, accountsWithOpenWorkSql } from '../generated/sql.js';
import type { Database } from '../postgres.database.js';
import { text } from '../row.js';

export class PostgresAccountsStore extends AccountsStore {
  constructor(private readonly database: Database) {
    super();
  }

  async claim(claims: readonly AccountClaim[], forMs: number): Promise<readonly AccountConflict[]> {
    const [row] = await this.database.rows(accountsClaimSql, [JSON.stringify(claims), forMs]);
    return JSON.parse(row?.['conflicts'] as string) as AccountConflict[];
  }

  async withOpenWork(accounts: readonly string[]): Promise<readonly string[]> {
    const rows = await this.database.rows(accountsWithOpenWorkSql, [accounts]);
    return rows.map((row) => text(row, 'account'));
  }
}
