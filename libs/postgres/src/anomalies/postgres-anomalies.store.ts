import {
  AnomaliesStore,
  anomalyKind,
  keptExample,
  MOST_EXAMPLES,
  type Anomaly,
} from '@tillkit/payments/internal/store';
import type { Database } from '../postgres-database.js';
import { json, number, text, time } from '../row.js';
import { storableText } from '../storable.js';
import { anomaliesListSql, anomaliesRecordSql } from '../generated/sql.js';

export class PostgresAnomaliesStore extends AnomaliesStore {
  constructor(private readonly database: Database) {
    super();
  }

  async record(account: string, what: string, example: string): Promise<void> {
    const kept = keptExample(what, example);
    await this.database.rows(anomaliesRecordSql, [
      account,
      anomalyKind(what),
      storableText(kept.what),
      storableText(kept.example),
      MOST_EXAMPLES,
    ]);
  }

  async list(account: string): Promise<Anomaly[]> {
    return (await this.database.rows(anomaliesListSql, [account])).map((row) => ({
      kind: text(row, 'kind') as Anomaly['kind'],
      count: number(row, 'count'),
      lastAt: time(row, 'last_at'),
      examples: json<{ what: string; example: string; at: number }[]>(row, 'examples').map(
        ({ at, ...example }) => ({ ...example, at: new Date(at) }),
      ),
    }));
  }
}
