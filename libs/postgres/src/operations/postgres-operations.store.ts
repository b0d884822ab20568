import {
  checkOperationFilter,
  MOST_FOUND,
  OperationsStore,
  phoneHash,
  recordedFields,
  StoreUnavailableError,
  type AskedAgain,
  type CandidateQuery,
  type DueClaim,
  type NewOperationRecord,
  type OperationInTheWay,
  type OperationRecord,
  type RecordResult,
  type RefusedByGuard,
  type RefusedRecord,
  type UnmatchedQuery,
  type StoredHistoryEntry,
  type Operation,
  type OperationFilter,
  type RecordOptions,
  type Page,
  type PageRequest,
  type Pause,
  type SendingMark,
} from '@tillkit/payments/internal/store';
import { readPage } from '../page.query.js';
import { listOperations } from './operations.query.js';
import { GroupCommit, type GroupLimits } from '../group-commit.js';
import { inHostTransaction } from './host-transaction.js';
import type { Database, Execute } from '../postgres-database.js';
import type { ReplicaReads } from '../replica-reads.js';
import { waitedForLock } from '../postgres.errors.js';
import {
  guardKeysOf,
  readHistoryEntry,
  readOperation,
  writeAsked,
  writeOperation,
} from './operation.row.js';
import { json, number, optionalTime, text, type Row } from '../row.js';
import {
  operationsClaimDueSql,
  operationsFindByIdempotencyKeySql,
  operationsFindByPlatformIdSql,
  operationsFindCandidatesSql,
  operationsFindManySql,
  operationsFindUnmatchedSql,
  operationsTransferOwnersSql,
  operationsDueAtSql,
  operationsHistorySql,
  operationsMakeDueSql,
  operationsRecordManySql,
  operationsRecordOneSql,
  operationsRefusalOfSql,
  operationsScheduleSql,
} from '../generated/sql.js';
import { storableHash, storableJson, storableText } from '../storable.js';
import { HeldUpRecordings, type Names } from './held-up-recordings.js';

/** The reason why an operation is refused, as `refusal_of` writes it. */
type Refused =
  | (Omit<RefusedByGuard, 'operations'> & {
      operations: readonly (Omit<OperationInTheWay, 'since'> & { since: number })[];
    })
  | { kind: 'over_limit'; usedMinor: string };

/** The result of `record_operations` for one operation. */
type Recorded =
  | { kind: 'recorded'; at: number; mark?: SendingMark | undefined }
  | { kind: 'paused'; pause: Omit<Pause, 'at'> & { at: number } }
  | { kind: 'existing'; id: string }
  | Refused
  | { kind: 'needs_approval' };

/** The payment would wait for another transaction for longer than a group may wait. */
type Waits = { kind: 'waits' };

interface Recording {
  operation: NewOperationRecord;
  options: RecordOptions;
  /** The time of the request, in milliseconds of `performance.now()`. */
  since: number;
  names: Names;
}

interface CandidateSearch {
  account: string;
  query: CandidateQuery;
}

/** The limits on the time that recording a payment may take, in milliseconds. */
export interface RecordingLimits {
  /** The limit on all waits of a group together. Waiting for another group takes less. */
  groupWaitMs: number;
  /** The limit on all waits of a payment that is recorded alone. */
  aloneWaitMs: number;
  /** A recording that took longer fails and records nothing, because its caller may have given up. */
  lateMs: number;
}

/** The server gives up before the client does. So the caller gets an error, and no payment is recorded after that error. */
export function recordingLimits(statementTimeoutMs: number): RecordingLimits {
  return {
    groupWaitMs: 50,
    aloneWaitMs: Math.min(3_000, Math.ceil(statementTimeoutMs * 0.6)),
    lateMs: Math.min(4_000, Math.ceil(statementTimeoutMs * 0.8)),
  };
}

const WAITS: Waits = { kind: 'waits' };

export class PostgresOperationsStore extends OperationsStore<OperationRecord, NewOperationRecord> {
  readonly shared = true;
  private readonly recording: GroupCommit<Recording, Recorded>;
  /**
   * Payments that wait for a transaction of the host, which may stay open for long. They are recorded one by one, so that no
   * other payment waits with them, and two at a time, so that they do not use all connections.
   */
  private readonly alone: GroupCommit<Recording, Recorded>;
  /** Reads that are requested at the same time share one statement. */
  private readonly finding: GroupCommit<Pick<Operation, 'account' | 'id'>, OperationRecord | null>;
  private readonly findingCandidates: GroupCommit<CandidateSearch, OperationRecord[]>;
  private readonly heldUp = new HeldUpRecordings();
  private readonly recordings = new Set<Promise<unknown>>();

  constructor(
    private readonly database: Database,
    private readonly reads: ReplicaReads,
    waiting: GroupLimits,
    private readonly limits: RecordingLimits,
  ) {
    super();
    const queue = { inFlight: 2, ...waiting };
    this.recording = new GroupCommit({
      commit: (recordings) => this.recordAll(recordings),
      maxRows: 50,
      ...queue,
    });
    this.finding = new GroupCommit({
      commit: (keys) => this.findAll(keys),
      maxRows: 100,
      ...queue,
    });
    this.findingCandidates = new GroupCommit({
      commit: (searches) => this.findAllCandidates(searches),
      maxRows: 50,
      ...queue,
    });
    this.alone = new GroupCommit({
      commit: async ([recording]) => [await this.recordAlone(recording as Recording)],
      maxRows: 1,
      ...queue,
    });
  }

  async record(
    operation: NewOperationRecord,
    options: RecordOptions,
  ): Promise<RecordResult<OperationRecord>> {
    await this.database.ready();
    const { sendBeforeMs, transaction } = options;
    const execute = transaction && inHostTransaction(transaction, this.database);
    const recording = {
      operation,
      options,
      since: performance.now(),
      names: namesOf(operation),
    };
    const result = execute
      ? await this.recordOne(execute, recording)
      : await this.underWay(this.queue(recording));
    if (result.kind === 'recorded') {
      const { guard: _, dailyLimitMinor: __, approveFromMinor: ___, ...fields } = operation;
      const recorded = { ...fields, ...recordedFields(result.at, sendBeforeMs, result.mark) };
      return { kind: 'recorded', operation: recorded as unknown as OperationRecord };
    }
    if (result.kind === 'paused')
      return { kind: 'paused', pause: { ...result.pause, at: new Date(result.pause.at) } };
    if (result.kind === 'needs_approval') return result;
    if (result.kind !== 'existing') return readRefusal(result);
    const find = execute ?? this.database.rows;
    const [existing] = await find(operationsFindManySql, [[operation.account], [result.id]]);
    return { kind: 'existing', operation: readOperation(existing as Row) };
  }

  async refusalOf(asked: AskedAgain): Promise<RefusedRecord | null> {
    const [row] = await this.database.rows(operationsRefusalOfSql, [
      storableJson(writeAsked(asked)),
    ]);
    const refused = json<Refused | null>(row as Row, 'refusal');
    return refused && readRefusal(refused);
  }

  async drain(): Promise<void> {
    while (this.recordings.size > 0) await Promise.allSettled(this.recordings);
  }

  async findMany(
    account: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, OperationRecord>> {
    const rows = await this.database.rows(operationsFindManySql, [
      [account],
      ids.map(storableText),
    ]);
    return new Map(rows.map(readOperation).map((operation) => [operation.id, operation]));
  }

  override find(account: string, id: string): Promise<OperationRecord | null> {
    return this.finding.add({ account, id });
  }

  private async findAll(
    keys: readonly Pick<Operation, 'account' | 'id'>[],
  ): Promise<(OperationRecord | null)[]> {
    const rows = await this.database.rows(operationsFindManySql, [
      [...new Set(keys.map(({ account }) => account))],
      keys.map(({ id }) => storableText(id)),
    ]);
    const found = rows.map(readOperation);
    return keys.map(
      ({ account, id }) =>
        found.find((operation) => operation.id === id && operation.account === account) ?? null,
    );
  }

  async list(
    account: string,
    filter: OperationFilter,
    page: PageRequest,
  ): Promise<Page<OperationRecord>> {
    checkOperationFilter(filter);
    const { phoneNumber } = filter;
    const hashed = phoneNumber === undefined ? {} : { phoneHash: phoneHash(phoneNumber) };
    return readPage(
      page.mayBeOld ? this.reads : this.database,
      page,
      readOperation,
      (limit, after) => listOperations(account, { ...filter, ...hashed }, limit, after),
    );
  }

  async findByIdempotencyKey(
    account: string,
    kind: string,
    key: string,
  ): Promise<OperationRecord | null> {
    return this.one(operationsFindByIdempotencyKeySql, account, kind, key);
  }

  async findByPlatformId(
    account: string,
    kind: string,
    platformId: string,
  ): Promise<OperationRecord | null> {
    return this.one(operationsFindByPlatformIdSql, account, kind, platformId);
  }

  async transferOwners(
    account: string,
    references: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const rows = await this.database.rows(operationsTransferOwnersSql, [
      account,
      references.map(storableText),
    ]);
    const owners = new Map(rows.map((row) => [text(row, 'reference'), text(row, 'operation_id')]));
    return new Map(
      references.flatMap((reference) => {
        const owner = owners.get(storableText(reference));
        return owner === undefined ? [] : [[reference, owner] as const];
      }),
    );
  }

  async findCandidates(account: string, query: CandidateQuery): Promise<OperationRecord[]> {
    return this.findingCandidates.add({ account, query });
  }

  private async findAllCandidates(
    searches: readonly CandidateSearch[],
  ): Promise<OperationRecord[][]> {
    const queries = searches.map(({ query }) => query);
    const rows = await this.database.rows(operationsFindCandidatesSql, [
      searches.map(({ account }) => account),
      queries.map(({ amountMinor }) => storableText(amountMinor)),
      queries.map(({ currency }) => storableText(currency)),
      queries.map(({ payerHash }) => payerHash && storableHash(payerHash)),
      queries.map(({ sentFrom }) => sentFrom.getTime()),
      queries.map(({ anybodySentFrom }) => anybodySentFrom.getTime()),
      queries.map(({ sentTo }) => sentTo.getTime()),
      MOST_FOUND,
    ]);
    const found = searches.map((): OperationRecord[] => []);
    for (const row of rows) found[number(row, 'number') - 1]?.push(readOperation(row));
    return found.map((operations) =>
      operations.toSorted((one, other) => Number(one.sentAt) - Number(other.sentAt)),
    );
  }

  async findUnmatched(
    account: string,
    { sentFrom, sentTo, after, limit }: UnmatchedQuery,
  ): Promise<OperationRecord[]> {
    const times = [sentFrom, sentTo, after?.sentAt].map((at) => at?.getTime() ?? null);
    const values = [account, ...times, after?.id ?? null, limit];
    return (await this.database.rows(operationsFindUnmatchedSql, values)).map(readOperation);
  }

  async history(account: string, id: string): Promise<StoredHistoryEntry[]> {
    return (await this.database.rows(operationsHistorySql, [account, storableText(id)])).map(
      readHistoryEntry,
    );
  }

  async dueAt(account: string, id: string): Promise<Date | null> {
    const [row] = await this.database.rows(operationsDueAtSql, [account, storableText(id)]);
    return row ? optionalTime(row, 'at') : null;
  }

  async claimDue(
    accounts: readonly string[],
    { followed, limit, leaseMs, sendLeaseMs }: DueClaim,
  ): Promise<OperationRecord[]> {
    const values = [accounts, followed, limit, leaseMs, sendLeaseMs];
    return (await this.database.rows(operationsClaimDueSql, values)).map(readOperation);
  }

  async schedule(
    { account, id, version }: Pick<Operation, 'account' | 'id' | 'version'>,
    { inMs, checks }: { inMs: number | null; checks?: number },
  ): Promise<void> {
    const values = [account, storableText(id), version, inMs, checks ?? null];
    await this.database.rows(operationsScheduleSql, values);
  }

  async makeDue(
    account: string,
    ids: readonly string[],
    { cause, againAfterMs }: { cause: string; againAfterMs: number },
  ): Promise<void> {
    if (ids.length === 0) return;
    const values = [account, ids.map(storableText), storableText(cause), againAfterMs];
    await this.database.rows(operationsMakeDueSql, values);
  }

  private async one(
    statement: string,
    account: string,
    kind: string,
    value: string,
  ): Promise<OperationRecord | null> {
    const [row] = await this.database.rows(statement, [account, kind, storableText(value)]);
    return row ? readOperation(row) : null;
  }

  /** Adds a recording to the next group, after the recordings of the same key or guard that are held up. */
  private async queue(recording: Recording): Promise<Recorded> {
    for (let before; (before = this.heldUp.before(recording.names));) {
      const answered = await before;
      const waited = performance.now() - recording.since;
      if (!answered && waited >= this.limits.aloneWaitMs) throw heldUp();
    }
    return this.recording.add(recording);
  }

  private tryAlone(recording: Recording): Promise<Recorded> {
    if (this.heldUp.before(recording.names)) return this.queue(recording);
    return this.heldUp.hold(recording.names, this.alone.add(recording));
  }

  private async underWay<T>(recording: Promise<T>): Promise<T> {
    this.recordings.add(recording);
    try {
      return await recording;
    } finally {
      this.recordings.delete(recording);
    }
  }

  /**
   * Records a group in the order of guards. The statement locks the guards in that order, so two groups cannot deadlock. A group that waits
   * too long runs again without the payments that it waits for. Those are recorded one by one.
   */
  private async recordAll(
    recordings: readonly Recording[],
  ): Promise<(Recorded | Promise<Recorded>)[]> {
    const sorted = recordings
      .map((recording, index) => ({ index, recording, order: orderOf(recording) }))
      .toSorted((one, other) => (one.order < other.order ? -1 : 1));
    const outcomes = await this.tryAll(sorted.map(({ recording }) => recording));
    const results: (Recorded | Promise<Recorded>)[] = [];
    sorted.forEach(({ index, recording }, place) => {
      const outcome = outcomes[place] ?? WAITS;
      results[index] = outcome.kind === 'waits' ? this.tryAlone(recording) : outcome;
    });
    return results;
  }

  private async tryAll(recordings: readonly Recording[]): Promise<(Recorded | Waits)[]> {
    const { groupWaitMs, lateMs } = this.limits;
    // The second attempt has no marks, because the first may have waited for a pause.
    const attempt = async (isSecond: boolean): Promise<(Recorded | Waits)[]> => {
      const written = recordings.map(({ operation, options }) =>
        writeOperation(operation, isSecond ? { ...options, mark: undefined } : options),
      );
      const values = [storableJson(written), groupWaitMs, lateMs, isSecond];
      const rows = await this.database.rows(operationsRecordManySql, values);
      return rows.map((row, place) => {
        const outcome = readOutcome(row);
        if (isSecond || outcome.kind !== 'recorded') return outcome;
        return { ...outcome, mark: recordings[place]?.options.mark };
      });
    };
    try {
      return await attempt(false);
    } catch (error) {
      if (!waitedForLock(error)) throw error;
      return recordings.length === 1 ? [WAITS] : attempt(true);
    }
  }

  private async recordAlone(recording: Recording): Promise<Recorded> {
    try {
      return await this.recordOne(this.database.rows, recording);
    } catch (error) {
      if (!waitedForLock(error)) throw error;
      throw heldUp(error as Error);
    }
  }

  private async recordOne(execute: Execute, recording: Recording): Promise<Recorded> {
    const { aloneWaitMs, lateMs } = this.limits;
    // This recording may wait long. With a mark, a pause would wait for it, and each recording after the pause would wait too.
    const { operation, options } = recording;
    const written = writeOperation(operation, { ...options, mark: undefined });
    const values = [storableJson(written), aloneWaitMs, lateMs];
    return readOutcome((await execute(operationsRecordOneSql, values))[0] as Row) as Recorded;
  }
}

function namesOf({ account, kind, idempotencyKey, guard }: NewOperationRecord): Names {
  return {
    key: [account, kind, idempotencyKey].join('\n'),
    guards: (guard ? guardKeysOf(guard) : [])
      .map((guarded) => [account, guarded].join('\n'))
      .toSorted(),
  };
}

/** Returns the order of recordings: by their first guard, then by key. */
function orderOf({ names: { key, guards } }: Recording): string {
  return `${guards[0] ?? ''}\n${key}`;
}

function heldUp(cause?: Error): StoreUnavailableError {
  return new StoreUnavailableError(
    'another open transaction holds the same idempotency key, the same customer and amount, the same destination of a payout, or the limit of ' +
      'the day for payouts. Commit it sooner. Nothing was recorded; try again with the same key',
    { ...(cause && { cause }), changedNothing: true },
  );
}

function readRefusal(refused: Refused): RefusedRecord {
  if (refused.kind === 'over_limit') return refused;
  const operations = refused.operations.map((each) => ({ ...each, since: new Date(each.since) }));
  return { kind: refused.kind, operations };
}

function readOutcome(row: Row): Recorded | Waits {
  return JSON.parse(text(row, 'result')) as Recorded | Waits;
}
