import {
  pausesSetSql,
  restoresMarkSql,
  restoresRaiseSequencesSql,
  restoresSequencesBehindSql,
} from '../generated/sql.js';
import type { Database } from '../postgres-database.js';
import { text, time, type Row } from '../row.js';
import { storableText } from '../storable.js';

/** An operation that may have been sent in the time that the restored database has lost. @publicApi */
export interface DoubtedOperation {
  account: string;
  /** `payment`, `payout`, `refund` or `payment_link`. */
  kind: string;
  id: string;
  amount: { currency: string; value: string };
  createdAt: Date;
}

/** See `PostgresStore.markRestored()`. */
export async function markRestored(
  database: Database,
  at: Date,
  by: string,
): Promise<DoubtedOperation[]> {
  const note = `the database was restored to ${at.toISOString()}`;
  await database.ready();
  return database.transaction(async (execute) => {
    // This comes before all inserts, because a copy by logical replication has rows and no values of sequences.
    await execute(restoresRaiseSequencesSql, []);
    // Our pause replaces a pause that the copy has, because whoever ends it must read the reason.
    for (const isPaused of ['false', 'true'])
      await execute(pausesSetSql, ['*', isPaused, storableText(by), note]);
    return (await execute(restoresMarkSql, [at.getTime(), note])).map(readDoubted);
  });
}

/** See `PostgresStore.sequencesBehind()`. */
export async function sequencesBehind(database: Database): Promise<string[]> {
  return (await database.rows(restoresSequencesBehindSql, [])).map((row) => text(row, 'name'));
}

function readDoubted(row: Row): DoubtedOperation {
  return {
    account: text(row, 'account'),
    kind: text(row, 'kind'),
    id: text(row, 'id'),
    amount: { currency: text(row, 'currency'), value: text(row, 'amount') },
    createdAt: time(row, 'created_at'),
  };
}
