import {
  RESTORE,
  restoredTo,
  RestoresStore,
  type LostTime,
  type RestoreResult,
} from '@tillkit/payments/store';
import { restoresBeginSql, restoresFindSql } from '../generated/sql.js';
import type { Database } from '../postgres.database.js';
import { number, time, type Row } from '../row.js';
import { storableText } from '../storable.js';

export class PostgresRestoresStore extends RestoresStore {
  constructor(private readonly database: Database) {
    super();
  }

  async begin(at: Date, by: string): Promise<RestoreResult> {
    const { followedMs, remembersMs, newAccountsMs } = RESTORE;
    const times = [at.getTime(), followedMs, remembersMs, newAccountsMs];
    const values = [...times, storableText(by), restoredTo(at)];
    const [row] = await this.database.rows(restoresBeginSql, values);
    return {
      accounts: number(row as Row, 'accounts'),
      operations: number(row as Row, 'operations'),
    };
  }

  async find(account: string): Promise<LostTime | null> {
    const [row] = await this.database.rows(restoresFindSql, [account]);
    return row ? { from: time(row, 'lost_from'), to: time(row, 'lost_to') } : null;
  }
}
