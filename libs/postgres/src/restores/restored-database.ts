import {
  pausesSetSql,
  restoresMarkSql,
  restoresRaiseSequencesSql,
  restoresSequencesBehindSql,
} from '../generated/sql.js';
import type { Database } from '../postgres-database.js';
import { text, time, type Row } from '../row.js';
import { storableText } from '../storable.js';

/** An operation that a restored database cannot vouch for: it may have been sent in the time that was lost. @publicApi */
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
    // Before anything is inserted: a copy by logical replication has rows and no values of sequences.
    await execute(restoresRaiseSequencesSql, []);
    // It replaces a pause that the copy has: whoever ends it must read why.
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
