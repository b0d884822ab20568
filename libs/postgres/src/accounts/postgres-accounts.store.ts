import { AccountsStore, type AccountClaim, type AccountConflict } from '@tillkit/payments/store';
import { accountsClaimSql } from '../generated/sql.js';
import type { Database } from '../postgres.database.js';

export class PostgresAccountsStore extends AccountsStore {
  constructor(private readonly database: Database) {
    super();
  }

  async claim(claims: readonly AccountClaim[], forMs: number): Promise<readonly AccountConflict[]> {
    const [row] = await this.database.rows(accountsClaimSql, [JSON.stringify(claims), forMs]);
    return JSON.parse(row?.['conflicts'] as string) as AccountConflict[];
  }
}
