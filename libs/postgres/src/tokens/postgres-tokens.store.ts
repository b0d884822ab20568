import { TokensStore } from '@tillkit/payments/store';
import type { Database } from '../postgres.database.js';
import { bytes, number } from '../row.js';
import {
  tokensClaimRenewalSql,
  tokensClearSql,
  tokensReadSql,
  tokensReleaseRenewalSql,
  tokensSaveSql,
} from '../generated/sql.js';

export class PostgresTokensStore extends TokensStore {
  constructor(private readonly database: Database) {
    super();
  }

  async read(account: string): Promise<{ sealed: Buffer; expiresInMs: number } | null> {
    const [row] = await this.database.rows(tokensReadSql, [account]);
    return row ? { sealed: bytes(row, 'sealed'), expiresInMs: number(row, 'expires_in_ms') } : null;
  }

  async claimRenewal(
    account: string,
    application: string,
    owner: string,
    leaseMs: number,
  ): Promise<boolean> {
    const values = [account, application, owner, leaseMs];
    return (await this.database.rows(tokensClaimRenewalSql, values)).length > 0;
  }

  async save(account: string, owner: string, sealed: Buffer, expiresInMs: number): Promise<void> {
    await this.database.rows(tokensSaveSql, [account, owner, sealed, expiresInMs]);
  }

  async releaseRenewal(account: string, owner: string): Promise<void> {
    await this.database.rows(tokensReleaseRenewalSql, [account, owner]);
  }

  async clear(account: string): Promise<void> {
    await this.database.rows(tokensClearSql, [account]);
  }
}
