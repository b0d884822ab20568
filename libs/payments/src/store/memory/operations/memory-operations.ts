import type { HistoryEntry, LedgerChange, StoredHistoryEntry } from '../../ledger.store.js';
import {
  FOLLOWED_STATES,
  isOpen,
  isSettled,
  mayOwnMoney,
} from '../../../ledger/operation-states.js';
import { PAID_AGAIN_AFTER_MS } from '../../../work/backoff.js';
import {
  MOST_IN_THE_WAY,
  type CandidateQuery,
  type DueClaim,
  type OperationInTheWay,
  type RecordOptions,
  type RecordResult,
  type RefusedByGuard,
  type RefusedRecord,
} from '../../operations.store.js';
import { isLasting, refusalOf } from '../../../ledger/operation.guard.js';
import { recordedFields, type AskedAgain } from '../../operation.js';
import {
  formOf,
  payerHashOf,
  type NewOperationRecord,
  type OperationRecord,
} from '../../operation-forms.js';
import type { RetentionResult } from '../../retention.store.js';
import { withoutRecipient } from '../../../operations/payouts/payout-redaction.js';
import { isPayout, type PayoutRecord } from '../../../operations/payouts/payout.js';
import { withoutPerson } from '../../transaction-redaction.js';
import { MOST_FOUND } from '../../transactions.store.js';
import type { Due, Waiting } from '../memory-due.js';
import { amountKey, MemoryIndex, payerKey } from '../memory-index.js';

interface OperationRow {
  record: OperationRecord;
  /** The keys of its guard, and which of them retention keeps. */
  guardKeys: readonly string[];
  lastingKeys: readonly string[];
  /** See `OperationGuard.counted`. */
  counted: Readonly<Record<string, string>>;
  /** Whether nothing of it is left to redact. A redacted operation may be given a note of a person. */
  isRedacted: boolean;
  /** Epoch milliseconds; for an operation that nobody had to approve, when it was recorded. */
  approvedAt: number;
  recordedAt: number;
  sendBefore: number;
  /** Infinity: never. */
  dueAt: number;
  claimedUntil: number;
  /** Whether it became due again after it was claimed. */
  dueOnceMore: boolean;
  /** Causes for which `makeDue` made it due, and the time of the last one. */
  madeDue: { causes: Set<string>; at: number };
  history: StoredHistoryEntry[];
}

/** What an operation has in its history that was recorded as `requested`. */
const MARKED = { via: 'request', what: 'state', detail: 'created to requested' } as const;

const NEVER = Number.POSITIVE_INFINITY;

const DAY_MS = 86_400_000;

/** Operations of one account. */
export class MemoryOperations {
  private readonly rows = new Map<string, OperationRow>();
  private readonly idsByKey = new Map<string, string>();
  private readonly idsByPlatformId = new Map<string, string>();
  /** Operations by the references of their transfers. */
  readonly idsByTransfer = new Map<string, string>();
  /** Payments that may own a transaction, by currency and amount. `candidatesOfPhone` has the phone in its key as well. */
  private readonly candidates = new MemoryIndex();
  private readonly candidatesOfPhone = new MemoryIndex();
  /** Operations that anybody may pay, by currency and amount. */
  private readonly candidatesOfAnybody = new MemoryIndex();
  /** Operations by the keys of their guards. */
  private readonly guarded = new MemoryIndex();
  /** Payments that claims can find: not settled, and followed up. */
  private readonly unsettled = new Set<string>();
  private readonly followed = new Set<string>();

  /** @param maySend whether operations may be sent now */
  constructor(
    readonly account: string,
    private readonly maySend: () => boolean,
    private readonly now: () => number,
  ) {}

  record(
    operation: NewOperationRecord,
    { sendBeforeMs, isHeld = false, mark }: RecordOptions,
  ): RecordResult<OperationRecord> {
    const { kind, idempotencyKey, guard, dailyLimitMinor, approveFromMinor, ...fields } = operation;
    const existing = this.rows.get(this.idsByKey.get(keyOf(kind, idempotencyKey)) ?? '');
    if (existing) return { kind: 'existing', operation: this.read(existing) };
    const refusal = this.refusedByGuard(operation);
    if (refusal) return refusal;
    if (approveFromMinor !== undefined && this.mostToOne(guard) >= BigInt(approveFromMinor))
      return { kind: 'needs_approval' };
    const overLimit = this.overLimit(operation);
    if (overLimit) return overLimit;
    const now = this.now();
    const row: OperationRow = {
      recordedAt: now,
      sendBefore: now + sendBeforeMs,
      dueAt: isHeld ? NEVER : fields.inBackground ? now : now + sendBeforeMs,
      claimedUntil: 0,
      dueOnceMore: false,
      madeDue: { causes: new Set(), at: 0 },
      history: mark ? [{ at: new Date(now), ...MARKED }] : [],
      guardKeys: guard?.keys.map(({ key }) => key) ?? [],
      lastingKeys: guard?.keys.filter(isLasting).map(({ key }) => key) ?? [],
      counted: guard?.counted ?? {},
      isRedacted: false,
      approvedAt: now,
      record: {
        ...fields,
        kind,
        idempotencyKey,
        ...recordedFields(now, sendBeforeMs, mark),
      } as OperationRecord,
    };
    this.rows.set(operation.id, row);
    this.idsByKey.set(keyOf(kind, idempotencyKey), operation.id);
    for (const key of row.guardKeys) this.guarded.set(key, operation.id, true);
    this.index(row.record);
    return { kind: 'recorded', operation: this.read(row) };
  }

  /** See `OperationsStore.refusalOf`. */
  refusalOf(asked: AskedAgain): RefusedRecord | null {
    return this.refusedByGuard(asked) ?? this.overLimit(asked);
  }

  find(id: string | undefined): OperationRecord | null {
    const row = this.rows.get(id ?? '');
    return row ? this.read(row) : null;
  }

  all(): OperationRecord[] {
    return [...this.rows.values()].map((row) => this.read(row));
  }

  findByKey(kind: string, key: string): OperationRecord | null {
    return this.find(this.idsByKey.get(keyOf(kind, key)));
  }

  findByPlatformId(kind: string, platformId: string): OperationRecord | null {
    return this.find(this.idsByPlatformId.get(keyOf(kind, platformId)));
  }

  dueAt(id: string): Date | null {
    const dueAt = this.rows.get(id)?.dueAt ?? NEVER;
    return dueAt === NEVER ? null : new Date(dueAt);
  }

  history(id: string): StoredHistoryEntry[] {
    return [...(this.rows.get(id)?.history ?? [])];
  }

  findCandidates(query: CandidateQuery): OperationRecord[] {
    const { payerHash, sentFrom, sentTo, anybodySentFrom, ...amount } = query;
    const ofPayer =
      payerHash === null
        ? this.candidates.get(amountKey(amount))
        : this.candidatesOfPhone.get(payerKey(amount, payerHash));
    const sentIn = (ids: Iterable<string>, from: Date): OperationRecord[] =>
      [...ids]
        .map((id) => this.find(id) as OperationRecord)
        .filter(({ sentAt }) => sentAt !== null && sentAt >= from && sentAt <= sentTo)
        .sort((one, other) => (one.sentAt?.getTime() ?? 0) - (other.sentAt?.getTime() ?? 0))
        .slice(0, MOST_FOUND);
    // Each group has its own limit: links that anybody may pay hide no payment.
    return [
      ...sentIn(ofPayer, sentFrom),
      ...sentIn(this.candidatesOfAnybody.get(amountKey(amount)), anybodySentFrom),
    ].sort((one, other) => (one.sentAt?.getTime() ?? 0) - (other.sentAt?.getTime() ?? 0));
  }

  /** Whether a change was decided on the present version, and is allowed. */
  isCurrent({
    id,
    version,
    set,
    asks,
    transfers = [],
  }: NonNullable<LedgerChange['operation']>): boolean {
    const row = this.rows.get(id);
    if (row?.record.version !== version) return false;
    if (asks && this.refusalOf(asks)) return false;
    const { kind } = row.record;
    const owner = set.platformId
      ? this.idsByPlatformId.get(keyOf(kind, set.platformId))
      : undefined;
    if (owner !== undefined && owner !== id) return false;
    if (transfers.some((reference) => (this.idsByTransfer.get(reference) ?? id) !== id))
      return false;
    return set.state !== 'requested' || (this.now() < row.sendBefore && this.maySend());
  }

  write(
    { id, set, dueInMs, sendWithinMs, transfers = [] }: NonNullable<LedgerChange['operation']>,
    history: readonly HistoryEntry[],
    now: Date,
  ): void {
    const row = this.rows.get(id) as OperationRow;
    row.record = {
      ...row.record,
      ...set,
      version: row.record.version + 1,
      updatedAt: now,
    } as OperationRecord;
    // A person may have written a note.
    row.isRedacted = false;
    if (set.approvedBy) row.approvedAt = this.now();
    if (sendWithinMs !== undefined) row.sendBefore = this.now() + sendWithinMs;
    if (set.platformId) this.idsByPlatformId.set(keyOf(row.record.kind, set.platformId), id);
    for (const reference of transfers) this.idsByTransfer.set(reference, id);
    if (dueInMs !== undefined) {
      const inMs = row.dueOnceMore && dueInMs !== null ? 0 : (dueInMs ?? NEVER);
      row.dueAt = this.now() + inMs;
      row.dueOnceMore = false;
      row.claimedUntil = 0;
    }
    row.history.push(...history.map((entry) => ({ ...entry, at: now })));
    this.index(row.record);
  }

  due({ followed, leaseMs, sendLeaseMs }: DueClaim): Due<OperationRecord>[] {
    const now = this.now();
    return this.rowsOf(followed)
      .filter((row) => row.dueAt <= now && row.claimedUntil <= now)
      .map((row) => ({
        dueAt: row.dueAt,
        claim: () => {
          row.claimedUntil = now + (row.record.state === 'created' ? sendLeaseMs : leaseMs);
          row.dueOnceMore = false;
          return this.read(row);
        },
      }));
  }

  /** When the operations that have not settled and are due some time were recorded. */
  openSince(isLink: boolean): Date[] {
    return this.rowsOf(false)
      .filter(({ dueAt, record }) => dueAt !== NEVER && (record.kind === 'payment_link') === isLink)
      .map(({ record }) => record.createdAt);
  }

  waiting(followed: boolean): Waiting[] {
    return this.rowsOf(followed).map(({ record, dueAt, claimedUntil }) => ({
      id: record.id,
      dueAt,
      claimedUntil,
    }));
  }

  private rowsOf(followed: boolean): OperationRow[] {
    const ids = followed ? this.followed : this.unsettled;
    return [...ids].map((id) => this.rows.get(id) as OperationRow);
  }

  schedule(id: string, version: number, next: { inMs: number | null; checks?: number }): void {
    const row = this.rows.get(id);
    if (row?.record.version !== version) return;
    const inMs = row.dueOnceMore ? 0 : (next.inMs ?? NEVER);
    row.dueAt = this.now() + inMs;
    row.dueOnceMore = false;
    row.claimedUntil = 0;
    if (next.checks !== undefined) row.record = { ...row.record, checks: next.checks };
  }

  makeDue(
    ids: readonly string[],
    { cause, againAfterMs }: { cause: string; againAfterMs: number },
  ): void {
    for (const id of ids) {
      const row = this.rows.get(id);
      if (!row || !(isOpen(row.record.state) || FOLLOWED_STATES.includes(row.record.state)))
        continue;
      const { madeDue } = row;
      if (madeDue.at <= this.now() - againAfterMs) madeDue.causes.clear();
      if (madeDue.causes.has(cause)) continue;
      madeDue.causes.add(cause);
      madeDue.at = this.now();
      dueNow(row, this.now());
    }
  }

  /** Redacts and deletes old finished operations. One for which money may still move is redacted later. */
  applyRetention({
    personalDataMs,
    dedupeForMs,
    matchedForMs,
    limit,
    isChosen = () => true,
  }: {
    personalDataMs: number;
    dedupeForMs: number;
    matchedForMs: number;
    limit: number;
    isChosen?: (record: OperationRecord) => boolean;
  }): RetentionResult {
    let redacted = 0;
    let deleted = 0;
    for (const row of this.rows.values()) {
      if (redacted + deleted >= limit) break;
      const { record } = row;
      if (!isFinished(record) || !isChosen(record)) continue;
      const age = this.now() - record.updatedAt.getTime();
      if (age >= dedupeForMs) {
        this.delete(row);
        deleted += 1;
      } else if (age >= personalDataMs && this.mayBeRedacted(row, matchedForMs)) {
        this.redact(row);
        redacted += 1;
      }
    }
    return { redacted, deleted };
  }

  /** Redacts what is chosen of payouts to several that are finished. Returns how many. */
  redactRecipients({
    matchedForMs,
    isShared,
    isChosen,
  }: {
    matchedForMs: number;
    isShared: (record: PayoutRecord) => boolean;
    isChosen: (value: unknown) => boolean;
  }): number {
    let count = 0;
    for (const row of this.rows.values()) {
      const { record } = row;
      if (!isPayout(record) || !isFinished(record) || !isShared(record)) continue;
      if (!this.mayBeRedacted(row, matchedForMs)) continue;
      this.unguard(row);
      // Texts of the platform do not say whose they are.
      const texts = { errors: [], causeDetail: null };
      const redacted = { version: record.version + 1, redacted: true };
      row.record = { ...record, ...withoutRecipient(record, isChosen), ...texts, ...redacted };
      row.history = row.history.filter(({ detail }) => !isChosen(detail));
      count += 1;
    }
    return count;
  }

  /** Those that are not redacted. */
  personal(): OperationRecord[] {
    return [...this.rows.values()].flatMap((row) => (row.isRedacted ? [] : [this.read(row)]));
  }

  /** Whether nothing needs its personal data any more, because no money can move for it, and an equal payout may be made. */
  private mayBeRedacted({ record, isRedacted }: OperationRow, matchedForMs: number): boolean {
    const neededForMs = Math.max(
      mayStillMove(record) ? matchedForMs : 0,
      isPayout(record) ? PAID_AGAIN_AFTER_MS : 0,
    );
    return !isRedacted && this.now() - record.updatedAt.getTime() >= neededForMs;
  }

  private redact(row: OperationRow): void {
    const { record } = row;
    this.unindex(row);
    row.isRedacted = true;
    row.record = {
      ...record,
      ...formOf(record).withoutPersons,
      version: record.version + 1,
      redacted: true,
      transaction: record.transaction && withoutPerson(record.transaction),
      errors: [],
      causeDetail: null,
      outcome: withoutErrors(record.outcome),
      approvedBy: null,
    } as OperationRecord;
    row.history = [];
  }

  private index(record: OperationRecord): void {
    const payer = formOf(record).payer(record);
    const candidate = mayOwnMoney(record);
    if (payer === 'anybody') {
      this.candidatesOfAnybody.set(amountKey(amountOf(record)), record.id, candidate);
    } else if (payer) {
      const key = payerKey(amountOf(record), payer.hash);
      this.candidates.set(amountKey(amountOf(record)), record.id, candidate);
      this.candidatesOfPhone.set(key, record.id, candidate);
    }
    put(this.unsettled, record.id, record.state === 'created' || isOpen(record.state));
    put(this.followed, record.id, FOLLOWED_STATES.includes(record.state));
  }

  private refusedByGuard(operation: AskedAgain): RefusedByGuard | null {
    const { id: own, guard, besides } = operation;
    const ids = new Set([
      ...(guard?.keys.flatMap(({ key }) => [...this.guarded.get(key)]) ?? []),
      ...besides,
    ]);
    const holders = [...ids]
      .flatMap((id) => (id === own ? [] : (this.rows.get(id) ?? [])))
      .toSorted((one, other) => one.recordedAt - other.recordedAt)
      .map((row) => ({ ...this.read(row), keys: row.guardKeys }));
    const refusal = refusalOf(operation, holders);
    return (
      refusal && {
        kind: refusal.kind,
        operations: refusal.ids
          .slice(0, MOST_IN_THE_WAY)
          .map((id) => inTheWay(this.find(id) as OperationRecord)),
      }
    );
  }

  private overLimit(operation: AskedAgain): RefusedRecord | null {
    const { amountMinor, dailyLimitMinor } = operation;
    if (dailyLimitMinor === undefined) return null;
    const usedMinor = this.usedInADay(operation);
    return usedMinor + BigInt(amountMinor) > BigInt(dailyLimitMinor)
      ? { kind: 'over_limit', usedMinor: String(usedMinor) }
      : null;
  }

  /** The most that one destination of a new operation would get, with what it got in the last day. */
  private mostToOne(guard: NewOperationRecord['guard']): bigint {
    const rows = [...this.rows.values()].filter((row) => this.isOfLastDay(row));
    const sums = Object.entries(guard?.counted ?? {}).map(([key, own]) =>
      rows.reduce((sum, { counted }) => sum + BigInt(counted[key] ?? 0), BigInt(own)),
    );
    return sums.reduce((most, sum) => (sum > most ? sum : most), 0n);
  }

  private isOfLastDay({ record, approvedAt }: OperationRow): boolean {
    const isCounted = record.state === 'created' || approvedAt > this.now() - DAY_MS;
    return isCounted && record.state !== 'failed';
  }

  /** What was recorded or approved in the last day, and what waits for approval or is about to be sent. */
  private usedInADay({ id, kind, amount }: AskedAgain): bigint {
    return [...this.rows.values()]
      .filter(({ record }) => record.kind === kind && record.amount.currency === amount.currency)
      .filter(({ record }) => record.id !== id)
      .filter((row) => this.isOfLastDay(row))
      .reduce((sum, { record }) => sum + BigInt(record.amountMinor), 0n);
  }

  /** Removes an operation from the indexes of persons, before it is redacted. */
  private unindex(row: OperationRow): void {
    const { record } = row;
    this.unguard(row);
    this.candidatesOfAnybody.set(amountKey(amountOf(record)), record.id, false);
    const payerHash = payerHashOf(record);
    if (payerHash === null) return;
    const key = payerKey(amountOf(record), payerHash);
    this.candidates.set(amountKey(amountOf(record)), record.id, false);
    this.candidatesOfPhone.set(key, record.id, false);
  }

  /** Takes an operation out of what it guards, but for the keys that are of no person: of a refund, of an order. */
  private unguard(row: OperationRow): void {
    const { guardKeys, lastingKeys, record } = row;
    for (const key of guardKeys)
      if (!lastingKeys.includes(key)) this.guarded.set(key, record.id, false);
    row.guardKeys = lastingKeys;
    row.counted = {};
  }

  private delete(row: OperationRow): void {
    const { record } = row;
    row.lastingKeys = [];
    this.unindex(row);
    this.followed.delete(record.id);
    this.rows.delete(record.id);
    this.idsByKey.delete(keyOf(record.kind, record.idempotencyKey));
    if (record.platformId) this.idsByPlatformId.delete(keyOf(record.kind, record.platformId));
    for (const [reference, id] of this.idsByTransfer)
      if (id === record.id) this.idsByTransfer.delete(reference);
  }

  private read(row: OperationRow): OperationRecord {
    const now = this.now();
    return {
      ...row.record,
      ageMs: now - row.recordedAt,
      unchangedMs: now - row.record.updatedAt.getTime(),
      sendWithinMs: row.sendBefore - now,
    };
  }
}

function isFinished({ state }: OperationRecord): boolean {
  return isSettled(state) && state !== 'needs_review';
}

/** Whether money may still move for an operation: it failed after it was sent, or failed in part. */
function mayStillMove({ state, sentAt, reason }: OperationRecord): boolean {
  const hasFailed = state === 'failed' || state === 'partially_succeeded';
  return hasFailed && sentAt !== null && reason !== 'rejected' && reason !== 'not_sent';
}

/** Makes a payment due now. A claimed one is due once more after its claim. */
function dueNow(row: OperationRow, now: number): void {
  row.dueAt = Math.min(row.dueAt, now);
  row.dueOnceMore = true;
}

function inTheWay(record: OperationRecord): OperationInTheWay {
  const { id, kind, idempotencyKey, state, createdAt } = record;
  const order = 'order' in record ? record.order : null;
  const metadata = 'metadata' in record ? record.metadata : null;
  return { id, kind, idempotencyKey, order, metadata, state, since: createdAt };
}

function put(ids: Set<string>, id: string, belongs: boolean): void {
  if (belongs) ids.add(id);
  else ids.delete(id);
}

/** An outcome without the texts of the platform, which may name persons. */
function withoutErrors(outcome: unknown): unknown {
  return Array.isArray(outcome)
    ? outcome.map((part: object) => ({ ...part, errors: [] }))
    : outcome;
}

/** Idempotency keys and platform ids are unique within a kind. */
function keyOf(kind: string, name: string): string {
  return `${kind}\n${name}`;
}

function amountOf({ amount, amountMinor }: Pick<OperationRecord, 'amount' | 'amountMinor'>): {
  currency: string;
  amountMinor: string;
} {
  return { currency: amount.currency, amountMinor };
}
