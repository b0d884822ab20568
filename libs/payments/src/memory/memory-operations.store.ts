import { NEVER } from 'rxjs';
import { checkOperationFilter } from '../ledger/list-filters.js';
import { FOLLOWED_STATES, isOpen, mayOwnMoney } from '../ledger/operation-states.js';
import {
  formOf,
  type NewOperationRecord,
  type OperationRecord,
} from '../operations/operation-forms.js';
import { StoreUnavailableError } from '../payments.errors.js';
import { PerAccount } from '../runtime/per-account.js';
import type { AccountScope } from '../store/claim.js';
import type { HistoryEntry, LedgerChange, StoredHistoryEntry } from '../store/ledger.store.js';
import { recordedFields, type AskedAgain, type Operation } from '../store/operation.js';
import {
  OperationsStore,
  type CandidateQuery,
  type DueClaim,
  type OperationFilter,
  type RecordOptions,
  type RecordResult,
  type RefusedRecord,
  type UnmatchedQuery,
} from '../store/operations.store.js';
import { MOST_FOUND, type Page, type PageRequest } from '../store/transactions.store.js';
import {
  type GuardingRow,
  needsApproval,
  overDailyLimit,
  refusedByGuard,
} from './memory-guards.js';
import { fits, pageOf } from './memory-lists.js';
import type { MemoryPausesStore } from './memory-pauses.store.js';
import { claimLongestDue, type Waiting } from './memory-queue.js';

export interface OperationRow extends GuardingRow {
  /** References of the transfers that are its own. */
  transfers: readonly string[];
  /** True when it has nothing left to redact. A redacted operation may be given a note of a person. */
  isRedacted: boolean;
  recordedAt: number;
  sendBefore: number;
  dueAt: number;
  claimedUntil: number;
  /** True when it became due again after it was claimed. */
  dueOnceMore: boolean;
  /** Causes for which `makeDue` made it due, and the time of the last one. */
  madeDue: { causes: Set<string>; at: number };
  history: StoredHistoryEntry[];
}

/** An operation that was recorded as `requested` begins its history with this entry. */
const MARKED = { via: 'request', what: 'state', detail: 'created to requested' } as const;

const NEVER_DUE = Number.POSITIVE_INFINITY;

/** It looks through all operations of an account for those that fit, because a store in memory is small. */
export class MemoryOperationsStore extends OperationsStore<OperationRecord, NewOperationRecord> {
  readonly shared = false;
  private readonly accounts = new PerAccount(() => new Map<string, OperationRow>(), NEVER);

  constructor(
    private readonly pauses: MemoryPausesStore,
    private readonly now: () => number,
  ) {
    super();
  }

  async record(
    operation: NewOperationRecord,
    { sendBeforeMs, isHeld = false, mark, transaction }: RecordOptions,
  ): Promise<RecordResult<OperationRecord>> {
    if (transaction) {
      throw new StoreUnavailableError(
        'memory cannot join your database transaction; use PostgresStore of @tillkit/postgres',
      );
    }
    const { guard, dailyLimitMinor, approveFromMinor, ...fields } = operation;
    const { id, account, kind, idempotencyKey, inBackground } = fields;
    const rows = this.rowsOf(account);
    const existing = rows.find((row) => hasKey(row, kind, idempotencyKey));
    if (existing) return { kind: 'existing', operation: this.read(existing) };
    const pause = this.pauses.pausing(account);
    if (pause) return { kind: 'paused', pause };
    const now = this.now();
    const refusal = refusedByGuard(operation, rows, now);
    if (refusal) return refusal;
    if (needsApproval(operation, rows, now)) return { kind: 'needs_approval' };
    const overLimit = overDailyLimit(operation, rows, now);
    if (overLimit) return overLimit;
    const row: OperationRow = {
      record: { ...fields, ...recordedFields(now, sendBeforeMs, mark) } as OperationRecord,
      guardKeys: guard?.keys ?? [],
      counted: guard?.counted ?? {},
      transfers: [],
      isRedacted: false,
      approvedAt: now,
      recordedAt: now,
      sendBefore: now + sendBeforeMs,
      dueAt: isHeld ? NEVER_DUE : inBackground ? now : now + sendBeforeMs,
      claimedUntil: 0,
      dueOnceMore: false,
      madeDue: { causes: new Set(), at: 0 },
      history: mark ? [{ at: new Date(now), ...MARKED }] : [],
    };
    this.rows(account).set(id, row);
    return { kind: 'recorded', operation: this.read(row) };
  }

  async refusalOf(asked: AskedAgain): Promise<RefusedRecord | null> {
    return this.refusal(asked);
  }

  async findMany(
    account: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, OperationRecord>> {
    const rows = ids.flatMap((id) => this.rows(account).get(id) ?? []);
    return new Map(rows.map((row) => [row.record.id, this.read(row)]));
  }

  async findByIdempotencyKey(
    account: string,
    kind: string,
    key: string,
  ): Promise<OperationRecord | null> {
    const found = this.rowsOf(account).find((row) => hasKey(row, kind, key));
    return found ? this.read(found) : null;
  }

  async findByPlatformId(
    account: string,
    kind: string,
    platformId: string,
  ): Promise<OperationRecord | null> {
    const found = this.rowsOf(account).find((row) => hasPlatformId(row, kind, platformId));
    return found ? this.read(found) : null;
  }

  async transferOwners(
    account: string,
    references: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const owners = this.rowsOf(account).flatMap(({ record, transfers }) =>
      transfers.map((reference) => [reference, record.id] as const),
    );
    return new Map(owners.filter(([reference]) => references.includes(reference)));
  }

  async findCandidates(account: string, query: CandidateQuery): Promise<OperationRecord[]> {
    const { payerHash, sentTo } = query;
    const sentSince = (from: Date, isPayer: (payer: string) => boolean): OperationRecord[] =>
      this.rowsOf(account)
        .filter((row) => mayOwn(row, query, isPayer))
        .map((row) => this.read(row))
        .filter(({ sentAt }) => sentAt !== null && sentAt >= from && sentAt <= sentTo)
        .sort(bySending)
        .slice(0, MOST_FOUND);
    // Each group has its own limit: links that anybody may pay hide no payment.
    return [
      ...sentSince(
        query.sentFrom,
        (payer) => payer !== 'anybody' && payer === (payerHash ?? payer),
      ),
      ...sentSince(query.anybodySentFrom, (payer) => payer === 'anybody'),
    ].sort(bySending);
  }

  async findUnmatched(
    account: string,
    { sentFrom, sentTo, after, limit }: UnmatchedQuery,
  ): Promise<OperationRecord[]> {
    const order = ({ sentAt, id }: { sentAt: Date | null; id: string }): string =>
      `${String(Number(sentAt)).padStart(16, '0')} ${id}`;
    return this.all(account)
      .filter(({ kind, platformId, state, sentAt }) => {
        const isUnmatched = state === 'unknown' || state === 'needs_review';
        return kind === 'payment' && platformId === null && isUnmatched && sentAt !== null;
      })
      .filter(
        ({ sentAt }) => Number(sentAt) >= Number(sentFrom) && Number(sentAt) <= Number(sentTo),
      )
      .filter((record) => !after || order(record) > order(after))
      .toSorted((one, other) => (order(one) < order(other) ? -1 : 1))
      .slice(0, limit);
  }

  async history(account: string, id: string): Promise<StoredHistoryEntry[]> {
    return [...(this.rows(account).get(id)?.history ?? [])];
  }

  async dueAt(account: string, id: string): Promise<Date | null> {
    const dueAt = this.rows(account).get(id)?.dueAt ?? NEVER_DUE;
    return dueAt === NEVER_DUE ? null : new Date(dueAt);
  }

  async list(
    account: string,
    filter: OperationFilter,
    page: PageRequest,
  ): Promise<Page<OperationRecord>> {
    checkOperationFilter(filter);
    const found = this.all(account).filter((operation) => fits(operation, filter));
    return pageOf(found, page, ({ createdAt, id }) => [createdAt, id]);
  }

  async claimDue(
    accounts: readonly string[],
    { followed, limit, leaseMs, sendLeaseMs }: DueClaim,
  ): Promise<OperationRecord[]> {
    const now = this.now();
    const due = this.accounts
      .within(accounts)
      .flatMap(([account]) => this.rowsIn(account, followed))
      .filter((row) => row.dueAt <= now && row.claimedUntil <= now)
      .map((row) => ({
        dueAt: row.dueAt,
        claim: () => {
          row.claimedUntil = now + (row.record.state === 'created' ? sendLeaseMs : leaseMs);
          row.dueOnceMore = false;
          return this.read(row);
        },
      }));
    return claimLongestDue(due, limit);
  }

  async schedule(
    { account, id, version }: Pick<Operation, 'account' | 'id' | 'version'>,
    { inMs, checks }: { inMs: number | null; checks?: number },
  ): Promise<void> {
    const row = this.rows(account).get(id);
    if (row?.record.version !== version) return;
    this.free(row, row.dueOnceMore ? 0 : inMs);
    if (checks !== undefined) row.record = { ...row.record, checks };
  }

  async makeDue(
    account: string,
    ids: readonly string[],
    { cause, againAfterMs }: { cause: string; againAfterMs: number },
  ): Promise<void> {
    const now = this.now();
    for (const row of ids.flatMap((id) => this.rows(account).get(id) ?? [])) {
      const { madeDue, record } = row;
      if (!isOpen(record.state) && !FOLLOWED_STATES.includes(record.state)) continue;
      if (madeDue.at <= now - againAfterMs) madeDue.causes.clear();
      if (madeDue.causes.has(cause)) continue;
      madeDue.causes.add(cause);
      madeDue.at = now;
      row.dueAt = Math.min(row.dueAt, now);
      row.dueOnceMore = true;
    }
  }

  /** True when a change was decided on the present version, and is allowed. */
  isCurrent(
    account: string,
    { id, version, set, asks, transfers = [] }: NonNullable<LedgerChange['operation']>,
  ): boolean {
    const row = this.rows(account).get(id);
    if (row?.record.version !== version) return false;
    if (asks && this.refusal(asks)) return false;
    const { platformId } = set;
    const isOfAnother = (owns: (other: OperationRow) => boolean): boolean =>
      this.rowsOf(account).some((other) => other !== row && owns(other));
    if (platformId && isOfAnother((other) => hasPlatformId(other, row.record.kind, platformId)))
      return false;
    if (transfers.some((reference) => isOfAnother((other) => other.transfers.includes(reference))))
      return false;
    const maySend = this.now() < row.sendBefore && this.pauses.pausing(account) === null;
    return set.state !== 'requested' || maySend;
  }

  write(
    account: string,
    { id, set, dueInMs, sendWithinMs, transfers = [] }: NonNullable<LedgerChange['operation']>,
    history: readonly HistoryEntry[],
    now: Date,
  ): void {
    const row = this.rows(account).get(id) as OperationRow;
    const version = row.record.version + 1;
    row.record = { ...row.record, ...set, version, updatedAt: now } as OperationRecord;
    // A person may have written a note.
    row.isRedacted = false;
    if (set.approvedBy) row.approvedAt = this.now();
    if (sendWithinMs !== undefined) row.sendBefore = this.now() + sendWithinMs;
    row.transfers = [...row.transfers, ...transfers];
    if (dueInMs !== undefined) this.free(row, row.dueOnceMore && dueInMs !== null ? 0 : dueInMs);
    row.history.push(...history.map((entry) => ({ ...entry, at: now })));
  }

  names(): string[] {
    return this.accounts.entries().map(([account]) => account);
  }

  all(account: string): OperationRecord[] {
    return this.rowsOf(account).map((row) => this.read(row));
  }

  /** Returns the times at which the operations were recorded that have not settled and are due some time. */
  openSince(account: string, isLink: boolean): Date[] {
    return this.rowsIn(account, false)
      .filter(
        ({ dueAt, record }) => dueAt !== NEVER_DUE && (record.kind === 'payment_link') === isLink,
      )
      .map(({ record }) => record.createdAt);
  }

  /** @param followed see `DueClaim` */
  waiting(scope: AccountScope, followed: boolean): Waiting[] {
    return this.accounts.within(scope).flatMap(([account]) =>
      this.rowsIn(account, followed).map(({ dueAt, claimedUntil }) => ({
        account,
        freeAt: Math.max(dueAt, claimedUntil),
      })),
    );
  }

  /** Returns the stored operations of an account, oldest first. Retention changes them. */
  rows(account: string): Map<string, OperationRow> {
    return this.accounts.get(account);
  }

  read(row: OperationRow): OperationRecord {
    const now = this.now();
    return {
      ...row.record,
      ageMs: now - row.recordedAt,
      unchangedMs: now - row.record.updatedAt.getTime(),
      sendWithinMs: row.sendBefore - now,
    };
  }

  private rowsOf(account: string): OperationRow[] {
    return [...this.rows(account).values()];
  }

  private rowsIn(account: string, followed: boolean): OperationRow[] {
    return this.rowsOf(account).filter(({ record: { state } }) =>
      followed ? FOLLOWED_STATES.includes(state) : state === 'created' || isOpen(state),
    );
  }

  private refusal(asked: AskedAgain): RefusedRecord | null {
    const [rows, now] = [this.rowsOf(asked.account), this.now()];
    return refusedByGuard(asked, rows, now) ?? overDailyLimit(asked, rows, now);
  }

  /** Ends the claim of an operation, and says when it is due next; null: never. */
  private free(row: OperationRow, inMs: number | null): void {
    row.dueAt = this.now() + (inMs ?? NEVER_DUE);
    row.dueOnceMore = false;
    row.claimedUntil = 0;
  }
}

/** Idempotency keys are unique within a kind. */
function hasKey({ record }: OperationRow, kind: string, key: string): boolean {
  return record.kind === kind && record.idempotencyKey === key;
}

/** Ids of the platform are unique within a kind, too. */
function hasPlatformId({ record }: OperationRow, kind: string, platformId: string): boolean {
  return record.kind === kind && record.platformId === platformId;
}

/** True when money of this amount may belong to the operation, and `isPayer` accepts the operation's payer. */
function mayOwn(
  { record, isRedacted }: OperationRow,
  { currency, amountMinor }: CandidateQuery,
  isPayer: (payer: string) => boolean,
): boolean {
  if (isRedacted || !mayOwnMoney(record)) return false;
  if (record.amount.currency !== currency || record.amountMinor !== amountMinor) return false;
  const payer = formOf(record).payer(record);
  return payer !== null && isPayer(payer === 'anybody' ? payer : payer.hash);
}

function bySending(one: OperationRecord, other: OperationRecord): number {
  return Number(one.sentAt) - Number(other.sentAt);
}
