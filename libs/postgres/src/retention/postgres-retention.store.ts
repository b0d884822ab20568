import {
  PENDING_REDACTED_AFTER_MS,
  REDACTED_ERROR,
  RetentionStore,
  withoutPersons,
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
  retentionRedactEventsSql,
  retentionRedactOperationsSql,
  retentionRedactPendingEventsSql,
  retentionRedactTransactionsSql,
} from '../generated/sql.js';
import type { Database } from '../postgres.database.js';
import { packPayload, unpackPayload } from '../events/packed.payload.js';
import { json, text, type Row } from '../row.js';

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

/** Redacts and deletes one batch of each kind in short statements, so that other work does not wait. */
export class PostgresRetentionStore extends RetentionStore {
  constructor(private readonly database: Database) {
    super();
  }

  async apply(account: string, policy: RetentionPolicy): Promise<RetentionResult> {
    const { personalDataMs, dedupeForMs, limit } = policy;
    // Bare requests are kept for 31 days whatever the policy is, and have no events: they are not counted.
    await this.database.rows(retentionDeleteBareRequestsSql, [account, limit]);
    const redacted =
      (await this.batches(PERSONAL, [account, personalDataMs, limit])) +
      (await this.redactPending(account, personalDataMs, limit));
    return {
      redacted,
      deleted: await this.batches(KEPT_FOR_DUPLICATES, [account, dedupeForMs, limit]),
    };
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
  ): Promise<number> {
    const old = [account, personalDataMs, PENDING_REDACTED_AFTER_MS, limit];
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
