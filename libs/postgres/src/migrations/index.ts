import {
  migrations000001ClockSql,
  migrations000002OperationsSql,
  migrations000003TransactionsSql,
  migrations000004BareRequestsSql,
  migrations000005DeliveriesSql,
  migrations000006EventsSql,
  migrations000007QueueSql,
  migrations000008EffectsSql,
  migrations000009TokensSql,
  migrations000010AnomaliesSql,
  migrations000011AccountsSql,
  migrations000012PausesSql,
  migrations000013TotalsSql,
} from '../generated/sql.js';

/** One step of the tables. A released migration is never changed: each database that ran it keeps its checksum. */
export interface Migration {
  id: number;
  name: string;
  /** `:schema` stands for the quoted name of the schema. */
  sql: string;
  /**
   * True when the version before cannot work on the schema any more. Such a change takes two releases: the first adds the new part and uses
   * both, the second removes the old part. @default false
   */
  breaks?: boolean;
}

export const MIGRATIONS: readonly Migration[] = [
  { id: 1, name: 'clock', sql: migrations000001ClockSql },
  { id: 2, name: 'operations', sql: migrations000002OperationsSql },
  { id: 3, name: 'transactions', sql: migrations000003TransactionsSql },
  { id: 4, name: 'bare-requests', sql: migrations000004BareRequestsSql },
  { id: 5, name: 'deliveries', sql: migrations000005DeliveriesSql },
  { id: 6, name: 'events', sql: migrations000006EventsSql },
  { id: 7, name: 'queue', sql: migrations000007QueueSql },
  { id: 8, name: 'effects', sql: migrations000008EffectsSql },
  { id: 9, name: 'tokens', sql: migrations000009TokensSql },
  { id: 10, name: 'anomalies', sql: migrations000010AnomaliesSql },
  { id: 11, name: 'accounts', sql: migrations000011AccountsSql },
  { id: 12, name: 'pauses', sql: migrations000012PausesSql },
  { id: 13, name: 'totals', sql: migrations000013TotalsSql },
];
