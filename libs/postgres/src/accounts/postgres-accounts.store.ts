import {
  AccountsStore,
  MOST_COUNTED,
  type AccountAttention,
  type AccountClaim,
  type AccountConflict,
  type AccountFilter,
  type Page,
  type PageRequest,
} from '@tillkit/payments/internal/store';
import {
  accountsAttentionSql,
  accountsClaimSql,
  accountsIsClaimedByAnotherSql,
  accountsListSql,
  accountsMsSinceFirstStartSql,
  accountsNoteStartsSql,
  accountsReleaseSql,
  accountsWithOpenWorkSql,
} from '../generated/sql.js';
import { pageSizeOf } from '../page.query.js';
import type { Database } from '../postgres-database.js';
import { boolean, number, text, type Row } from '../row.js';

export class PostgresAccountsStore extends AccountsStore {
  constructor(private readonly database: Database) {
    super();
  }

  async claim(claims: readonly AccountClaim[]): Promise<readonly AccountConflict[]> {
    const [row] = await this.database.rows(accountsClaimSql, [JSON.stringify(claims)]);
    return JSON.parse(row?.['conflicts'] as string) as AccountConflict[];
  }

  async release(account: string, tills: readonly string[] | null): Promise<readonly string[]> {
    const rows = await this.database.rows(accountsReleaseSql, [account, tills]);
    return rows.map((row) => text(row, 'value'));
  }

  async isClaimedByAnother(account: string, tills: readonly string[]): Promise<boolean> {
    const [row] = await this.database.rows(accountsIsClaimedByAnotherSql, [account, tills]);
    return boolean(row as Row, 'is_claimed');
  }

  async noteStarts(accounts: readonly string[]): Promise<void> {
    if (accounts.length > 0) await this.database.rows(accountsNoteStartsSql, [accounts]);
  }

  async msSinceFirstStart(account: string): Promise<number> {
    const [row] = await this.database.rows(accountsMsSinceFirstStartSql, [account]);
    return row ? Math.max(0, number(row, 'ms')) : 0;
  }

  async list(
    { beginsWith = '', among }: AccountFilter,
    { limit, after = '' }: PageRequest,
  ): Promise<Page<string>> {
    const size = pageSizeOf(limit);
    const values = [beginsWith, after, among ?? null, size + 1];
    const rows = await this.database.rows(accountsListSql, values);
    const items = rows.slice(0, size).map((row) => text(row, 'name'));
    return { items, next: rows.length > size ? (items.at(-1) ?? null) : null };
  }

  async attention(accounts: readonly string[]): Promise<readonly AccountAttention[]> {
    if (accounts.length === 0) return [];
    const rows = await this.database.rows(accountsAttentionSql, [accounts, MOST_COUNTED + 1]);
    return rows.map((row) => ({
      account: text(row, 'account'),
      open: number(row, 'open'),
      inReview: number(row, 'in_review'),
      deadLetters: number(row, 'dead_letters'),
      unrecognised: number(row, 'unrecognised'),
    }));
  }

  async withOpenWork(accounts: readonly string[]): Promise<readonly string[]> {
    const rows = await this.database.rows(accountsWithOpenWorkSql, [accounts]);
    return rows.map((row) => text(row, 'account'));
  }
}
