import {
  TrafficStore,
  type Hindrance,
  type Pause,
  type PauseEntry,
  type ReservedTurns,
  type TrafficKind,
  type WantedTurns,
} from '@tillkit/payments/store';
import {
  trafficCloseCreatesSql,
  trafficCloseOthersSql,
  trafficPauseHistorySql,
  trafficHindranceSql,
  trafficPausesSql,
  trafficReserveSql,
  trafficSetPauseSql,
} from '../generated/sql.js';
import type { Database } from '../postgres.database.js';
import { boolean, number, text, time, type Row } from '../row.js';
import { storableText } from '../storable.js';

/** The row that stands for all accounts. */
const ALL = '*';

export class PostgresTrafficStore extends TrafficStore {
  constructor(private readonly database: Database) {
    super();
  }

  pause(account: string | null, by: string, note: string): Promise<boolean> {
    return this.setPause(account, true, by, note);
  }

  resume(account: string | null, by: string, note: string): Promise<boolean> {
    return this.setPause(account, false, by, note);
  }

  async hindrance(account: string): Promise<Hindrance> {
    const rows = await this.database.rows(trafficHindranceSql, [account]);
    const paused = rows.find((row) => row['paused_at'] !== null);
    return {
      pause: paused ? readPause(paused) : null,
      closedForMs: {
        creates: longest(rows, 'creates_closed_for_ms'),
        others: longest(rows, 'others_closed_for_ms'),
      },
    };
  }

  async pauses(): Promise<Pause[]> {
    return (await this.database.rows(trafficPausesSql, [])).map(readPause);
  }

  async pauseHistory(account: string, limit: number): Promise<PauseEntry[]> {
    const rows = await this.database.rows(trafficPauseHistorySql, [account, limit]);
    return rows.map((row) => ({
      account: accountOf(row),
      what: text(row, 'what') as PauseEntry['what'],
      by: text(row, 'by_whom'),
      note: text(row, 'note'),
      at: time(row, 'at'),
    }));
  }

  async reserve(
    account: string,
    { kind, count, gapMs, kindGapMs, withinMs }: WantedTurns,
  ): Promise<ReservedTurns> {
    const values = [account, kind, count, gapMs, kindGapMs, withinMs];
    const [row] = await this.database.rows(trafficReserveSql, values);
    return {
      count: number(row as Row, 'turns'),
      inMs: number(row as Row, 'in_ms'),
      mayAskAgain: boolean(row as Row, 'may_ask_again'),
    };
  }

  async close(account: string, kind: TrafficKind, forMs: number): Promise<void> {
    const statement = kind === 'creates' ? trafficCloseCreatesSql : trafficCloseOthersSql;
    await this.database.rows(statement, [account, forMs]);
  }

  private async setPause(
    account: string | null,
    isPaused: boolean,
    by: string,
    note: string,
  ): Promise<boolean> {
    const values = [account ?? ALL, isPaused, storableText(by), storableText(note)];
    const [row] = await this.database.rows(trafficSetPauseSql, values);
    return boolean(row as Row, 'has_changed');
  }
}

function longest(rows: readonly Row[], column: string): number {
  return Math.max(0, ...rows.map((row) => number(row, column)));
}

function readPause(row: Row): Pause {
  return {
    account: accountOf(row),
    by: text(row, 'paused_by'),
    note: text(row, 'pause_note'),
    at: time(row, 'paused_at'),
  };
}

function accountOf(row: Row): string | null {
  const account = text(row, 'account');
  return account === ALL ? null : account;
}
