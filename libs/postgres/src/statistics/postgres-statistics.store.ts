import {
  StatisticsStore,
  type Backlog,
  type QueueLength,
  type RecentChange,
} from '@tillkit/payments/internal/store';
import type { Database } from '../postgres-database.js';
import { number, text, type Row } from '../row.js';
import {
  statisticsBacklogSql,
  statisticsQueuesSql,
  statisticsRecentChangesSql,
} from '../generated/sql.js';

export class PostgresStatisticsStore extends StatisticsStore {
  constructor(private readonly database: Database) {
    super();
  }

  async backlog(account: string): Promise<Backlog> {
    const [row] = await this.database.rows(statisticsBacklogSql, [account]);
    return readBacklog(row as Row);
  }

  async recentChanges(account: string, withinMs: number, limit: number): Promise<RecentChange[]> {
    const values = [account, withinMs, limit];
    const rows = await this.database.rows(statisticsRecentChangesSql, values);
    return rows.map((row) => ({ key: text(row, 'key'), about: row['about'] ?? null }));
  }

  async queues(): Promise<QueueLength[]> {
    return (await this.database.rows(statisticsQueuesSql, [])).map((row) => ({
      account: text(row, 'account'),
      queue: text(row, 'queue') as QueueLength['queue'],
      count: number(row, 'count'),
      oldestMs: number(row, 'oldest_ms'),
    }));
  }
}

function readBacklog(row: Row): Backlog {
  const age = (column: string): number | null => (row[column] == null ? null : number(row, column));
  return {
    deliveries: number(row, 'deliveries'),
    oldestDeliveryMs: age('oldest_delivery_ms'),
    calls: number(row, 'calls'),
    oldestCallMs: age('oldest_call_ms'),
    deadLetters: number(row, 'dead_letters'),
    unrecognised: number(row, 'unrecognised'),
    openPayments: number(row, 'open_payments'),
    inReview: number(row, 'in_review'),
    oldestInReviewMs: age('oldest_in_review_ms'),
    passedGuard: number(row, 'passed_guard'),
  };
}
