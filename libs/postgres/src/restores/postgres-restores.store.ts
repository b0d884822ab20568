import {
  RESTORE,
  restoredTo,
  RestoresStore,
  type LostTime,
  type RestoreResult,
} from '@tillkit/payments/store';
import { restoresBeginSql, restoresFindSql } from '../generated/sql.js';
import type { Database } from '../postgres.database.js';
import { number, type Row } from '../row.js';
import { storableText } from '../storable.js';

export class PostgresRestoresStore extends RestoresStore {
  constructor(private readonly database: Database) {
    super();
  }

  async begin(at: Date, by: string): Promise<RestoreResult> {
    const { followedMs, remembersMs, newAccountsMs } = RESTORE;
    const agoMs = Date.now() - at.getTime();
    const times = [at.getTime(), agoMs, followedMs, remembersMs, newAccountsMs];
    const values = [...times, storableText(by), restoredTo(at)];
    const [row] = await this.database.rows(restoresBeginSql, values);
    return {
      accounts: number(row as Row, 'accounts'),
      operations: number(row as Row, 'operations'),
      begunAt: new Date(number(row as Row, 'begun_at')),
    };
  }

  async find(account: string): Promise<LostTime[]> {
    const rows = await this.database.rows(restoresFindSql, [account]);
    return rows.map((row) => ({
      fromAgoMs: number(row, 'from_ago_ms'),
      toAgoMs: number(row, 'to_ago_ms'),
    }));
  }
}
