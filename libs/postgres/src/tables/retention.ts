import {
  REDACTED_ERROR,
  UNHEARD_REDACTED_AFTER_MS,
  withoutPersons,
  type PurgeResult,
} from '@tillkit/payments/store';
import type { Database } from '../postgres.database.js';
import { REMOVE_BARE_REQUESTS } from '../sql/bare-requests.sql.js';
import { json, text } from '../rows/row.js';
import { REMOVE_EFFECTS } from '../sql/effects.sql.js';
import {
  REDACT_EVENTS,
  REDACT_PAYMENTS,
  REDACT_TRANSACTIONS,
  REMOVE_DELIVERIES,
  REMOVE_EVENTS,
  REMOVE_PAYMENTS,
  REMOVE_TRANSACTIONS,
  REPLACE_PAYLOADS,
  UNHEARD_EVENTS,
} from '../sql/purge.sql.js';

/** Deliveries hold what the platform wrote about a person: they go with the personal data, whole. */
const PERSONAL = [REMOVE_DELIVERIES, REDACT_PAYMENTS, REDACT_TRANSACTIONS, REDACT_EVENTS];

const REMEMBERED = [REMOVE_PAYMENTS, REMOVE_TRANSACTIONS, REMOVE_EVENTS, REMOVE_EFFECTS];

/** Forgets one batch of each kind. One short statement after the other: none holds up what is under way. */
export async function purge(
  database: Database,
  account: string,
  {
    personalDataMs,
    dedupeForMs,
    limit,
  }: { personalDataMs: number; dedupeForMs: number; limit: number },
): Promise<PurgeResult> {
  const batches = async (statements: readonly string[], olderThanMs: number): Promise<number> => {
    let count = 0;
    for (const statement of statements) {
      count += (await database.rows(statement, [account, olderThanMs, limit])).length;
    }
    return count;
  };
  // They are kept for a month, whatever the policy says, and nobody has ever been told of them: they do not count.
  await database.rows(REMOVE_BARE_REQUESTS, [account, limit]);
  const redacted =
    (await batches(PERSONAL, personalDataMs)) +
    (await redactUnheard(database, account, personalDataMs, limit));
  return { redacted, removed: await batches(REMEMBERED, dedupeForMs) };
}

/** What some listener has not heard is kept for it, without who paid. */
async function redactUnheard(
  database: Database,
  account: string,
  personalDataMs: number,
  limit: number,
): Promise<number> {
  const old = [account, personalDataMs, UNHEARD_REDACTED_AFTER_MS, limit];
  const events = await database.rows(UNHEARD_EVENTS, old);
  if (events.length === 0) return 0;
  const redacted = await database.rows(REPLACE_PAYLOADS, [
    account,
    events.map((row) => text(row, 'id')),
    events.map((row) => JSON.stringify(withoutPersons(json(row, 'payload')))),
    REDACTED_ERROR,
  ]);
  return redacted.length;
}
