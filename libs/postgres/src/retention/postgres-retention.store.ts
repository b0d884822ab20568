import {
  bodyWithoutCustomer,
  hasOtherRecipients,
  idsOf,
  isShared,
  mentionsCustomer,
  PENDING_REDACTED_AFTER_MS,
  REDACTED_ERROR,
  RetentionStore,
  spellingsOf,
  withoutCustomer,
  withoutPersons,
  withoutRecipient,
  type PersonalRecord,
  type PersonIn,
  type RetentionPolicy,
  type RetentionResult,
  type WithoutRecipient,
} from '@tillkit/payments/internal/store';
import {
  retentionDeleteAccountSql,
  retentionDeleteBareRequestsSql,
  retentionDeleteCountsSql,
  retentionDeleteDeliveriesSql,
  retentionDeleteEffectsSql,
  retentionDeleteEventsSql,
  retentionDeleteOperationsSql,
  retentionDeleteTransactionsSql,
  retentionFindOwnSql,
  retentionFindPendingEventsSql,
  retentionFindPersonSql,
  retentionFindRefundsSql,
  retentionOldestPersonalSql,
  retentionRedactAnomaliesSql,
  retentionRedactEventsSql,
  retentionRedactOperationsSql,
  retentionRedactPendingEventsSql,
  retentionRedactTransactionsSql,
  retentionSplitDeliveriesSql,
  retentionSplitEventsSql,
  retentionSplitOperationsSql,
} from '../generated/sql.js';
import type { Database } from '../postgres-database.js';
import { packPayload, unpackPayload } from '../events/packed-payload.js';
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

/** The forms of the number, the hash, the times from and to, in milliseconds, and ids of operations. */
type PersonValues = readonly [
  readonly string[] | null,
  string | null,
  number,
  number,
  readonly string[],
];

const ANYBODY: PersonValues = [null, null, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, []];

/** One customer has few rows. */
const BATCH_OF_PERSON = 500;

function valuesOf(person: PersonIn): PersonValues {
  const { hash, from, to } = person;
  return [spellingsOf(person), hash, from.getTime(), to.getTime(), idsOf(person)];
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
    const { personalDataMs, dedupeForMs, limit, isRemoved } = policy;
    // Bare requests are kept for 31 days, whatever the policy is. They have no events, so they are not counted.
    await this.database.rows(retentionDeleteBareRequestsSql, [account, limit]);
    await this.database.rows(retentionDeleteCountsSql, [account, personalDataMs, dedupeForMs]);
    const redacted = await this.redact(account, { personalDataMs, limit }, ANYBODY);
    const deleted = await this.batches(KEPT_FOR_DUPLICATES, [account, dedupeForMs, limit]);
    if (isRemoved && redacted + deleted === 0)
      await this.database.rows(retentionDeleteAccountSql, [account]);
    return { redacted, deleted };
  }

  async oldestPersonal(account: string): Promise<Date | null> {
    const [row] = await this.database.rows(retentionOldestPersonalSql, [account]);
    return optionalTime(row as Row, 'at');
  }

  refundsOf(account: string, person: PersonIn): Promise<string[]> {
    return this.idsIn(retentionFindRefundsSql, account, person);
  }

  ownOf(account: string, person: PersonIn): Promise<string[]> {
    return this.idsIn(retentionFindOwnSql, account, person);
  }

  /** Returns the ids of the operations that a statement finds: our ids and those of the platform. */
  private async idsIn(statement: string, account: string, person: PersonIn): Promise<string[]> {
    const { hash, from, to } = person;
    const values = [account, spellingsOf(person), hash, from.getTime(), to.getTime()];
    return (await this.database.rows(statement, values)).flatMap((row) => [
      text(row, 'id'),
      ...(row['platform_id'] == null ? [] : [text(row, 'platform_id')]),
    ]);
  }

  async findOf(account: string, person: PersonIn): Promise<PersonalRecord[]> {
    const values = [account, ...valuesOf(person)];
    return (await this.database.rows(retentionFindPersonSql, values)).map(readRecord);
  }

  async redactOf(account: string, person: PersonIn): Promise<number> {
    const rows = await this.database.rows(retentionFindPersonSql, [account, ...valuesOf(person)]);
    const ids = rows.map((row) => text(row, 'id'));
    const about = [account, spellingsOf(person), person.hash, ids];
    await this.database.rows(retentionRedactAnomaliesSql, about);
    let count = await this.split(account, person, rows);
    for (;;) {
      const policy = { personalDataMs: 0, limit: BATCH_OF_PERSON };
      const redacted = await this.redact(account, policy, valuesOf(person));
      if (redacted === 0) return count;
      count += redacted;
    }
  }

  /** Removes the parts that mention one person from rows about several. Afterwards these rows do not mention the person. */
  private async split(account: string, person: PersonIn, rows: readonly Row[]): Promise<number> {
    const of = (kind: PersonalRecord['kind']): Row[] => rows.filter((row) => row['kind'] === kind);
    const counts = [
      await this.replace(
        retentionSplitOperationsSql,
        account,
        of('operation').flatMap(splitOperation(person)),
        [spellingsOf(person), person.hash],
      ),
      await this.replace(
        retentionSplitDeliveriesSql,
        account,
        of('delivery').flatMap(splitDelivery(person)),
      ),
      await this.replace(
        retentionSplitEventsSql,
        account,
        of('event').flatMap(splitEvent(person)),
        [REDACTED_ERROR],
      ),
    ];
    return counts.reduce((sum, each) => sum + each, 0);
  }

  /** @param changed the values of each row, with its id first */
  private async replace(
    statement: string,
    account: string,
    changed: readonly (readonly unknown[])[],
    more: readonly unknown[] = [],
  ): Promise<number> {
    const [first] = changed;
    if (!first) return 0;
    const columns = first.map((_, place) => changed.map((values) => values[place]));
    return (await this.database.rows(statement, [account, ...columns, ...more])).length;
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

/** The id of a row, the replaced value, and the new value; none when the row is about one person. */
type Split = (row: Row) => (readonly [id: string, ...values: unknown[]])[];

function splitOperation(person: PersonIn): Split {
  return (row) => {
    const { kind, personal, outcome } = json<{
      kind: string;
      personal: Omit<WithoutRecipient, 'outcome'> | null;
      outcome: WithoutRecipient['outcome'];
    }>(row, 'data');
    if (kind !== 'payout' || !personal || !hasOtherRecipients(personal.recipients, person))
      return [];
    const { outcome: left, ...others } = withoutRecipient({ ...personal, outcome }, (value) =>
      mentionsCustomer(person, value),
    );
    return [
      [
        text(row, 'id'),
        JSON.stringify(personal),
        JSON.stringify(others),
        left && JSON.stringify(left),
      ],
    ];
  };
}

function splitDelivery(person: PersonIn): Split {
  return (row) => {
    const before = bytes(row, 'body');
    const after = bodyWithoutCustomer(before, { ...person, ids: idsOf(person) });
    return after ? [[text(row, 'id'), before, after]] : [];
  };
}

function splitEvent(person: PersonIn): Split {
  return (row) => {
    const { payload } = json<{ payload: unknown }>(row, 'data');
    if (!isShared(payload, person)) return [];
    return [
      [text(row, 'id'), JSON.stringify(payload), JSON.stringify(withoutCustomer(payload, person))],
    ];
  };
}
