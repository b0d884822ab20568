import { PausesStore, type Pause, type PauseEntry } from '@tillkit/payments/internal/store';
import { pausesAllSql, pausesHistorySql, pausesOfSql, pausesSetSql } from '../generated/sql.js';
import type { Database } from '../postgres-database.js';
import { boolean, text, time, type Row } from '../row.js';
import { storableText } from '../storable.js';

/** The row with this name is the pause of all accounts. */
const ALL = '*';

export class PostgresPausesStore extends PausesStore {
  constructor(private readonly database: Database) {
    super();
  }

  pause(account: string | null, by: string, note: string): Promise<boolean> {
    return this.set(account, true, by, note);
  }

  resume(account: string | null, by: string, note: string): Promise<boolean> {
    return this.set(account, false, by, note);
  }

  async current(account: string): Promise<Pause | null> {
    const [row] = await this.database.rows(pausesOfSql, [account]);
    return row ? readPause(row) : null;
  }

  async all(): Promise<Pause[]> {
    return (await this.database.rows(pausesAllSql, [])).map(readPause);
  }

  async history(account: string, limit: number): Promise<PauseEntry[]> {
    const rows = await this.database.rows(pausesHistorySql, [account, limit]);
    return rows.map((row) => ({
      ...readPause(row),
      what: text(row, 'what') as PauseEntry['what'],
    }));
  }

  private async set(
    account: string | null,
    isPaused: boolean,
    by: string,
    note: string,
  ): Promise<boolean> {
    const values = [account ?? ALL, isPaused, storableText(by), storableText(note)];
    const [row] = await this.database.rows(pausesSetSql, values);
    return boolean(row as Row, 'has_changed');
  }
}

function readPause(row: Row): Pause {
  return {
    account: accountOf(row),
    by: text(row, 'by_whom'),
    note: text(row, 'note'),
    at: time(row, 'at'),
  };
}

function accountOf(row: Row): string | null {
  const account = text(row, 'account');
  return account === ALL ? null : account;
}
