import {
  PENDING_REDACTED_AFTER_MS,
  REDACTED_ERROR,
  RetentionStore,
  withoutPersons,
  type PersonalRecord,
  type PersonIn,
  type RetentionPolicy,
  type RetentionResult,
} from '@tillkit/payments/store';
import {
  retentionDeleteBareRequestsSql,
  retentionDeleteDeliveriesSql,
  retentionDeleteEffectsSql,
  retentionDeleteEventsSql,
  retentionDeleteOperationsSql,
  retentionDeleteTransactionsSql,
  retentionFindPendingEventsSql,
  retentionFindPersonSql,
  retentionOldestPersonalSql,
  retentionRedactEventsSql,
  retentionRedactOperationsSql,
  retentionRedactPendingEventsSql,
  retentionRedactTransactionsSql,
} from '../generated/sql.js';
import type { Database } from '../postgres.database.js';
import { packPayload, unpackPayload } from '../events/packed.payload.js';
import { bytes, json, optionalTime, text, time, type Row } from '../row.js';

/** The bodies of deliveries contain personal data, so deliveries are deleted when personal data is redacted. */
const PERSONAL = [
  retentionDeleteDeliveriesSql,
  retentionRedactOperationsSql,
  retentionRedactTransactionsSql,
  retentionRedactEventsSql,
];

const KEPT_FOR_DUPLICATES = [
  retentionDeleteOperationsSql,
  retentionDeleteTransactionsSql,
  retentionDeleteEventsSql,
  retentionDeleteEffectsSql,
];

/** Digits, hash, and the time from and to, in milliseconds. */
type PersonValues = readonly [string | null, string | null, number, number];

const ANYBODY: PersonValues = [null, null, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

/** One customer has few rows. */
const BATCH_OF_PERSON = 500;

function valuesOf({ digits, hash, from, to }: PersonIn): PersonValues {
  return [digits, hash, from.getTime(), to.getTime()];
}

function readRecord(row: Row): PersonalRecord {
  return {
    kind: text(row, 'kind') as PersonalRecord['kind'],
    id: text(row, 'id'),
    at: time(row, 'at'),
    data: row['body'] == null ? json(row, 'data') : { body: bytes(row, 'body').toString('utf8') },
  };
}

/** Redacts and deletes one batch of each kind in short statements, so that other work does not wait. */
export class PostgresRetentionStore extends RetentionStore {
  constructor(private readonly database: Database) {
    super();
  }

  async apply(account: string, policy: RetentionPolicy): Promise<RetentionResult> {
    const { personalDataMs, dedupeForMs, limit } = policy;
    // Bare requests are kept for 31 days whatever the policy is, and have no events: they are not counted.
    await this.database.rows(retentionDeleteBareRequestsSql, [account, limit]);
    const redacted = await this.redact(account, { personalDataMs, limit }, ANYBODY);
    return {
      redacted,
      deleted: await this.batches(KEPT_FOR_DUPLICATES, [account, dedupeForMs, limit]),
    };
  }

  async oldestPersonal(account: string): Promise<Date | null> {
    const [row] = await this.database.rows(retentionOldestPersonalSql, [account]);
    return optionalTime(row as Row, 'at');
  }

  async findOf(account: string, person: PersonIn): Promise<PersonalRecord[]> {
    const values = [account, ...valuesOf(person)];
    return (await this.database.rows(retentionFindPersonSql, values)).map(readRecord);
  }

  async redactOf(account: string, person: PersonIn): Promise<number> {
    let count = 0;
    for (;;) {
      const policy = { personalDataMs: 0, limit: BATCH_OF_PERSON };
      const redacted = await this.redact(account, policy, valuesOf(person));
      if (redacted === 0) return count;
      count += redacted;
    }
  }

  private async redact(
    account: string,
    { personalDataMs, limit }: Pick<RetentionPolicy, 'personalDataMs' | 'limit'>,
    person: PersonValues,
  ): Promise<number> {
    return (
      (await this.batches(PERSONAL, [account, personalDataMs, limit, ...person])) +
      (await this.redactPending(account, personalDataMs, limit, person))
    );
  }

  private async batches(
    statements: readonly string[],
    values: readonly unknown[],
  ): Promise<number> {
    let count = 0;
    for (const statement of statements)
      count += (await this.database.rows(statement, values)).length;
    return count;
  }

  /** Events that a listener has not completed stay, without personal data. */
  private async redactPending(
    account: string,
    personalDataMs: number,
    limit: number,
    person: PersonValues,
  ): Promise<number> {
    const afterMs = person === ANYBODY ? PENDING_REDACTED_AFTER_MS : 0;
    const old = [account, personalDataMs, afterMs, limit, ...person];
    const events = await this.database.rows(retentionFindPendingEventsSql, old);
    if (events.length === 0) return 0;
    const redacted = await this.database.rows(retentionRedactPendingEventsSql, [
      account,
      events.map((row) => text(row, 'id')),
      events.map((row) => redactedPayload(row, { id: text(row, 'id'), account })),
      REDACTED_ERROR,
    ]);
    return redacted.length;
  }
}

function redactedPayload(row: Row, key: { id: string; account: string }): string {
  const payload = unpackPayload(json(row, 'payload'), key);
  return JSON.stringify(packPayload(withoutPersons(payload), key));
}
