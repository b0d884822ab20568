import {
  checkOperationFilter,
  MOST_FOUND,
  OperationsStore,
  phoneHash,
  recordedFields,
  type AskedAgain,
  type CandidateQuery,
  type DueClaim,
  type NewOperationRecord,
  type OperationRecord,
  type RecordResult,
  type RefusedRecord,
  type UnmatchedQuery,
  type StoredHistoryEntry,
  type Operation,
  type OperationFilter,
  type RecordOptions,
  type Page,
  type PageRequest,
} from '@tillkit/payments/internal/store';
import { readPage } from '../page.query.js';
import { listOperations } from './operations.query.js';
import { GroupCommit, type GroupLimits } from '../group-commit.js';
import type { Database } from '../postgres-database.js';
import type { ReplicaReads } from '../replica-reads.js';
import { readHistoryEntry, readOperation, writeAsked } from './operation.row.js';
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
  operationsRefusalOfSql,
  operationsScheduleSql,
} from '../generated/sql.js';
import { storableHash, storableJson, storableText } from '../storable.js';
import { Recordings, type RecordingLimits, type Refused } from './recordings.js';

interface CandidateSearch {
  account: string;
  query: CandidateQuery;
}

export class PostgresOperationsStore extends OperationsStore<OperationRecord, NewOperationRecord> {
  readonly shared = true;
  /** Reads that are requested at the same time share one statement. */
  private readonly finding: GroupCommit<Pick<Operation, 'account' | 'id'>, OperationRecord | null>;
  private readonly findingCandidates: GroupCommit<CandidateSearch, OperationRecord[]>;
  private readonly recordings: Recordings;

  constructor(
    private readonly database: Database,
    private readonly reads: ReplicaReads,
    waiting: GroupLimits,
    limits: RecordingLimits,
  ) {
    super();
    this.recordings = new Recordings(database, waiting, limits);
    const queue = { inFlight: 2, ...waiting };
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
  }

  async record(
    operation: NewOperationRecord,
    options: RecordOptions,
  ): Promise<RecordResult<OperationRecord>> {
    await this.database.ready();
    const { sendBeforeMs, transaction } = options;
    const result = await (transaction
      ? this.recordings.addIn(transaction, operation, options)
      : this.recordings.add(operation, options));
    if (result.kind === 'recorded') {
      const { guard: _, dailyLimitMinor: __, approveFromMinor: ___, ...fields } = operation;
      const recorded = { ...fields, ...recordedFields(result.at, sendBeforeMs, result.mark) };
      return { kind: 'recorded', operation: recorded as unknown as OperationRecord };
    }
    if (result.kind === 'paused')
      return { kind: 'paused', pause: { ...result.pause, at: new Date(result.pause.at) } };
    if (result.kind === 'needs_approval') return result;
    if (result.kind !== 'existing') return readRefusal(result);
    const key = [[operation.account], [result.id]];
    const row = result.row ?? (await this.database.rows(operationsFindManySql, key))[0];
    return { kind: 'existing', operation: readOperation(row as Row) };
  }

  async refusalOf(asked: AskedAgain): Promise<RefusedRecord | null> {
    const [row] = await this.database.rows(operationsRefusalOfSql, [
      storableJson(writeAsked(asked)),
    ]);
    const refused = json<Refused | null>(row as Row, 'refusal');
    return refused && readRefusal(refused);
  }

  drain(): Promise<void> {
    return this.recordings.drain();
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
}

function readRefusal(refused: Refused): RefusedRecord {
  if (refused.kind === 'over_limit') return refused;
  const operations = refused.operations.map((each) => ({ ...each, since: new Date(each.since) }));
  return { kind: refused.kind, operations };
}
