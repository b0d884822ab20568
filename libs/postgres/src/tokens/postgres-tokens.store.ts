import { TokensStore, type SealedToken, type TokenHolder } from '@tillkit/payments/internal/store';
import type { Database } from '../postgres-database.js';
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

  async read({ account, application }: TokenHolder): Promise<SealedToken | null> {
    const [row] = await this.database.rows(tokensReadSql, [account, application]);
    return row ? { sealed: bytes(row, 'sealed'), expiresInMs: number(row, 'expires_in_ms') } : null;
  }

  async claimRenewal(
    { account, application }: TokenHolder,
    owner: string,
    leaseMs: number,
  ): Promise<boolean> {
    const values = [account, application, owner, leaseMs];
    return (await this.database.rows(tokensClaimRenewalSql, values)).length > 0;
  }

  async save(
    { account, application }: TokenHolder,
    owner: string,
    { sealed, expiresInMs }: SealedToken,
  ): Promise<void> {
    const values = [account, application, owner, sealed, expiresInMs];
    await this.database.rows(tokensSaveSql, values);
  }

  async releaseRenewal({ account, application }: TokenHolder, owner: string): Promise<void> {
    await this.database.rows(tokensReleaseRenewalSql, [account, application, owner]);
  }

  async clear({ account, application }: TokenHolder): Promise<void> {
    await this.database.rows(tokensClearSql, [account, application]);
  }
}
