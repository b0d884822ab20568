import { AnomaliesStore, type Anomaly } from '@tillkit/payments/store';
import type { Database } from '../postgres.database.js';
import { number, text, time } from '../row.js';
import { storableText } from '../storable.js';
import { anomaliesListSql, anomaliesRecordSql } from '../generated/sql.js';

/** In characters. Longer texts do not fit into an index entry; texts that differ only after it count as one anomaly. */
const MAX_LENGTH = 500;

export class PostgresAnomaliesStore extends AnomaliesStore {
  constructor(private readonly database: Database) {
    super();
  }

  async record(account: string, what: string, example: string): Promise<void> {
    const texts = [what, example].map((words) => storableText(words.slice(0, MAX_LENGTH)));
    await this.database.rows(anomaliesRecordSql, [account, ...texts]);
  }

  async list(account: string): Promise<Anomaly[]> {
    return (await this.database.rows(anomaliesListSql, [account])).map((row) => ({
      what: text(row, 'what'),
      example: text(row, 'example'),
      count: number(row, 'count'),
      lastAt: time(row, 'last_at'),
    }));
  }
}
