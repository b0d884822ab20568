import type {
  HistoryEntry,
  LedgerChange,
  StoredHistoryEntry,
} from '../../../ledger/ledger.store.js';
import {
  FOLLOWED_STATES,
  isInFlight,
  isOpen,
  isSettled,
  mayOwnMoney,
} from '../../../ledger/operation.states.js';
import type { CandidateQuery, DueClaim, RecordResult } from '../../../ledger/operations.store.js';
import {
  recordedPayment,
  type NewPayment,
  type PaymentRecord,
} from '../../../operations/payments/payment.js';
import type { RetentionResult } from '../../../retention/retention.store.js';
import { MOST_FOUND } from '../../../transactions/transactions.store.js';
import { phoneHash } from '../../../values/phone-number.js';
import type { Due } from '../memory.due.js';
import { amountKey, MemoryIndex, payerKey } from '../memory.index.js';
import { withoutPerson } from '../transactions/memory-transactions.store.js';

interface PaymentRow {
  record: PaymentRecord;
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

/** Operations of one account. */
export class MemoryOperations {
  private readonly payments = new Map<string, PaymentRow>();
  private readonly idsByKey = new Map<string, string>();
  private readonly idsByPlatformId = new Map<string, string>();
  /** Payments in flight by phone, currency and amount: many payments have one amount, but few have one customer as well. */
  private readonly inFlight = new MemoryIndex();
  /** Payments that may own a transaction, by currency and amount. `candidatesOfPhone` has the phone in its key as well. */
  private readonly candidates = new MemoryIndex();
  private readonly candidatesOfPhone = new MemoryIndex();
  /** Payments that claims can find: not settled, and followed up. */
  private readonly unsettled = new Set<string>();
  private readonly followed = new Set<string>();

  constructor(private readonly now: () => number) {}

  record(
    payment: NewPayment,
    { sendBeforeMs }: { sendBeforeMs: number },
  ): RecordResult<PaymentRecord> {
    const existing = this.payments.get(this.idsByKey.get(payment.idempotencyKey) ?? '');
    if (existing) return { kind: 'existing', operation: this.read(existing) };
    const rival = payment.allowParallel ? undefined : this.rivalOf(payment);
    if (rival) return { kind: 'in_flight', id: rival.id };
    const now = this.now();
    const row: PaymentRow = {
      recordedAt: now,
      sendBefore: now + sendBeforeMs,
      dueAt: payment.inBackground ? now : now + sendBeforeMs,
      claimedUntil: 0,
      dueOnceMore: false,
      madeDue: { causes: new Set(), at: 0 },
      history: [],
      record: recordedPayment(payment, now, sendBeforeMs),
    };
    this.payments.set(payment.id, row);
    this.idsByKey.set(payment.idempotencyKey, payment.id);
    this.index(row.record);
    return { kind: 'recorded', operation: this.read(row) };
  }

  find(id: string | undefined): PaymentRecord | null {
    const row = this.payments.get(id ?? '');
    return row ? this.read(row) : null;
  }

  all(): PaymentRecord[] {
    return [...this.payments.values()].map((row) => this.read(row));
  }

  findByKey(key: string): PaymentRecord | null {
    return this.find(this.idsByKey.get(key));
  }

  findByPlatformId(platformId: string): PaymentRecord | null {
    return this.find(this.idsByPlatformId.get(platformId));
  }

  history(id: string): StoredHistoryEntry[] {
    return [...(this.payments.get(id)?.history ?? [])];
  }

  findCandidates({ payerHash, sentFrom, sentTo, ...amount }: CandidateQuery): PaymentRecord[] {
    const ids =
      payerHash === null
        ? this.candidates.get(amountKey(amount))
        : this.candidatesOfPhone.get(payerKey(amount, payerHash));
    return [...ids]
      .map((id) => this.find(id) as PaymentRecord)
      .filter(({ sentAt }) => sentAt !== null && sentAt >= sentFrom && sentAt <= sentTo)
      .sort((one, other) => (one.sentAt?.getTime() ?? 0) - (other.sentAt?.getTime() ?? 0))
      .slice(0, MOST_FOUND);
  }

  /** Whether a change was decided on the present version, and is allowed. */
  isCurrent({ id, version, set }: NonNullable<LedgerChange['operation']>): boolean {
    const row = this.payments.get(id);
    if (row?.record.version !== version) return false;
    const owner = set.platformId ? this.idsByPlatformId.get(set.platformId) : undefined;
    if (owner !== undefined && owner !== id) return false;
    return set.state !== 'requested' || this.now() < row.sendBefore;
  }

  write(
    { id, set, dueInMs }: NonNullable<LedgerChange['operation']>,
    history: readonly HistoryEntry[],
    now: Date,
  ): void {
    const row = this.payments.get(id) as PaymentRow;
    row.record = { ...row.record, ...set, version: row.record.version + 1, updatedAt: now };
    if (set.platformId) this.idsByPlatformId.set(set.platformId, id);
    if (dueInMs !== undefined) {
      const inMs = row.dueOnceMore && dueInMs !== null ? 0 : (dueInMs ?? Number.POSITIVE_INFINITY);
      row.dueAt = this.now() + inMs;
      row.dueOnceMore = false;
      row.claimedUntil = 0;
    }
    row.history.push(...history.map((entry) => ({ ...entry, at: now })));
    this.index(row.record);
    if ((set.state && isSettled(set.state)) || set.deniedAt || set.decided) this.rivalLeft(row);
  }

  due({ followed, leaseMs, sendLeaseMs }: DueClaim): Due<PaymentRecord>[] {
    const now = this.now();
    return [...(followed ? this.followed : this.unsettled)]
      .map((id) => this.payments.get(id) as PaymentRow)
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

  schedule(id: string, version: number, next: { inMs: number | null; checks?: number }): void {
    const row = this.payments.get(id);
    if (row?.record.version !== version) return;
    const inMs = row.dueOnceMore ? 0 : (next.inMs ?? Number.POSITIVE_INFINITY);
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
      const row = this.payments.get(id);
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

  /** Redacts and deletes old finished payments. A possible rival is not redacted while transactions may be matched. */
  applyRetention({
    personalDataMs,
    dedupeForMs,
    matchedForMs,
    limit,
  }: {
    personalDataMs: number;
    dedupeForMs: number;
    matchedForMs: number;
    limit: number;
  }): RetentionResult {
    let redacted = 0;
    let deleted = 0;
    for (const row of this.payments.values()) {
      if (redacted + deleted >= limit) break;
      const { record } = row;
      if (!isSettled(record.state) || record.state === 'needs_review') continue;
      const age = this.now() - record.updatedAt.getTime();
      const isPersonal = record.subscriber.phoneNumber !== '';
      if (age >= dedupeForMs) {
        this.delete(record);
        deleted += 1;
      } else if (
        isPersonal &&
        age >= Math.max(personalDataMs, mayBeRival(record) ? matchedForMs : 0)
      ) {
        this.redact(row);
        redacted += 1;
      }
    }
    return { redacted, deleted };
  }

  private redact(row: PaymentRow): void {
    const { record } = row;
    this.unindex(record);
    row.record = {
      ...record,
      subscriber: { firstName: '', lastName: '', phoneNumber: '' },
      metadata: null,
      transaction: withoutPerson(record.transaction),
      errors: [],
      causeDetail: null,
    };
    row.history = [];
  }

  private index(record: PaymentRecord): void {
    const amount = { currency: record.amount.currency, amountMinor: record.amountMinor };
    const phone = payerKey(amount, phoneHash(record.subscriber.phoneNumber));
    const candidate = mayOwnMoney(record);
    this.inFlight.set(phone, record.id, isInFlight(record));
    this.candidates.set(amountKey(amount), record.id, candidate);
    this.candidatesOfPhone.set(phone, record.id, candidate);
    put(this.unsettled, record.id, record.state === 'created' || isOpen(record.state));
    put(this.followed, record.id, FOLLOWED_STATES.includes(record.state));
  }

  private rivalOf(payment: NewPayment): PaymentRecord | undefined {
    const hash = phoneHash(payment.subscriber.phoneNumber);
    const amount = { currency: payment.amount.currency, amountMinor: payment.amountMinor };
    return [...this.inFlight.get(payerKey(amount, hash))]
      .map((id) => this.find(id) as PaymentRecord)
      .find(({ tills }) => tills.some((till) => payment.tills.includes(till)));
  }

  /** Makes payments without a platform id due for a match, because a rival of them has left. */
  private rivalLeft({ record }: PaymentRow): void {
    const amount = { currency: record.amount.currency, amountMinor: record.amountMinor };
    const same = this.candidatesOfPhone.get(
      payerKey(amount, phoneHash(record.subscriber.phoneNumber)),
    );
    for (const id of same) {
      const row = this.payments.get(id) as PaymentRow;
      const { platformId, state } = row.record;
      if (id === record.id || platformId !== null) continue;
      if (state === 'unknown' || state === 'needs_review') dueNow(row, this.now());
    }
  }

  /** Removes a payment from the indexes by phone, before its phone is redacted. */
  private unindex(record: PaymentRecord): void {
    const amount = { currency: record.amount.currency, amountMinor: record.amountMinor };
    const phone = payerKey(amount, phoneHash(record.subscriber.phoneNumber));
    this.inFlight.set(phone, record.id, false);
    this.candidates.set(amountKey(amount), record.id, false);
    this.candidatesOfPhone.set(phone, record.id, false);
  }

  private delete(record: PaymentRecord): void {
    this.unindex(record);
    this.followed.delete(record.id);
    this.payments.delete(record.id);
    this.idsByKey.delete(record.idempotencyKey);
    if (record.platformId) this.idsByPlatformId.delete(record.platformId);
  }

  private read(row: PaymentRow): PaymentRecord {
    const now = this.now();
    return {
      ...row.record,
      ageMs: now - row.recordedAt,
      unchangedMs: now - row.record.updatedAt.getTime(),
      sendWithinMs: row.sendBefore - now,
    };
  }
}

/** Whether a payment may be a rival for a transaction: it failed after it was sent. */
function mayBeRival({ state, sentAt, reason }: PaymentRecord): boolean {
  return state === 'failed' && sentAt !== null && reason !== 'rejected' && reason !== 'not_sent';
}

/** Makes a payment due now. A claimed one is due once more after its claim. */
function dueNow(row: PaymentRow, now: number): void {
  row.dueAt = Math.min(row.dueAt, now);
  row.dueOnceMore = true;
}

function put(ids: Set<string>, id: string, belongs: boolean): void {
  if (belongs) ids.add(id);
  else ids.delete(id);
}
