import { StatisticsStore, type QueueLength, type Statistics } from '@tillkit/payments/store';
import type { Database } from '../postgres.database.js';
import { number, text, time, type Row } from '../row.js';
import {
  statisticsBacklogSql,
  statisticsCountReasonsSql,
  statisticsCountSourcesSql,
  statisticsCountStatesSql,
  statisticsDeliveriesPerMinuteSql,
  statisticsQueuesSql,
  statisticsTimeToFinalSql,
} from '../generated/sql.js';

export class PostgresStatisticsStore extends StatisticsStore {
  constructor(private readonly database: Database) {
    super();
  }

  async read(account: string, { from, to }: { from: Date; to: Date }): Promise<Statistics> {
    const window = [account, from.getTime(), to.getTime()];
    const counts = async <K extends string>(statement: string, name: K) =>
      (await this.database.rows(statement, window)).map(
        (row) => ({ [name]: text(row, name), count: number(row, 'count') }) as { count: number },
      );
    const [finals] = await this.database.rows(statisticsTimeToFinalSql, window);
    const minutes = await this.database.rows(statisticsDeliveriesPerMinuteSql, window);
    const [backlog] = await this.database.rows(statisticsBacklogSql, [account]);
    return {
      states: (await counts(statisticsCountStatesSql, 'state')) as Statistics['states'],
      reasons: (await counts(statisticsCountReasonsSql, 'reason')) as Statistics['reasons'],
      sources: (await counts(statisticsCountSourcesSql, 'via')) as Statistics['sources'],
      timeToFinalMs: readTimeToFinal(finals as Row),
      deliveriesPerMinute: minutes.map((row) => ({
        minute: time(row, 'minute'),
        count: number(row, 'count'),
      })),
      backlog: readBacklog(backlog as Row),
    };
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

function readTimeToFinal(row: Row): Statistics['timeToFinalMs'] {
  if (number(row, 'count') === 0) return null;
  return { p50: number(row, 'p50'), p90: number(row, 'p90'), p99: number(row, 'p99') };
}

function readBacklog(row: Row): Statistics['backlog'] {
  const age = (column: string): number | null => (row[column] == null ? null : number(row, column));
  return {
    deliveries: number(row, 'deliveries'),
    oldestDeliveryMs: age('oldest_delivery_ms'),
    calls: number(row, 'calls'),
    oldestCallMs: age('oldest_call_ms'),
    deadLetters: number(row, 'dead_letters'),
    unrecognised: number(row, 'unrecognised'),
    openPayments: number(row, 'open_payments'),
  };
}
