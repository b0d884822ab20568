import { phoneHash } from '../../values/phone-number.js';
import { FOLLOWED_STATES, isInFlight, isOpen, isSettled, mayOwnMoney } from '../payment.states.js';
import type { PaymentRecord } from '../payment.js';
import {
  MOST_FOUND,
  type BareRequest,
  type CandidateQuery,
  type LedgerChange,
  type NewPayment,
  type PurgeResult,
  type RecordResult,
  type StoredHistoryEntry,
  type SweepProgress,
  type UntiedQuery,
} from '../payments.store.js';
import { ownerIdOf, type TransactionRecord, type TransactionSum } from '../till-transaction.js';
import { MemoryDeliveries } from './memory-deliveries.js';
import { MemoryIndex } from './memory-index.js';
import { MemoryEvents } from './memory-events.js';

interface PaymentRow {
  record: PaymentRecord;
  recordedAt: number;
  sendBefore: number;
  /** Infinity: never. */
  dueAt: number;
  claimedUntil: number;
  /** Whether it was made due out of turn since it was claimed. */
  lookAgain: boolean;
  /** Why it was last made due out of turn, and when. */
  /** What it was made due for, and when the last time. */
  hastened: { causes: Set<string>; at: number };
  history: StoredHistoryEntry[];
}

/** How long money may still be matched: for so long, what could own it is known. */
const MATCHED_FOR_MS = 31 * 86_400_000;

const MOST_BARE_CANDIDATES = 10;

interface Lease {
  owner: string;
  until: number;
}

/** Everything that the memory store keeps of one account. */
export class MemoryAccount {
  readonly deliveries: MemoryDeliveries;
  readonly events: MemoryEvents;
  readonly counts = new Map<
    string,
    { what: string; example: string; count: number; lastAt: Date }
  >();
  startedAt: number | null = null;
  sweep: SweepProgress | null = null;
  sealedToken: { sealed: Buffer; expiresAt: number } | null = null;
  private readonly leases = new Map<'sweep' | 'token', Lease>();
  private readonly payments = new Map<string, PaymentRow>();
  private readonly idsByKey = new Map<string, string>();
  private readonly idsByPlatformId = new Map<string, string>();
  private readonly transactions = new Map<string, TransactionRecord>();
  private readonly bareRequests = new Map<string, BareRequest & { at: number }>();
  /** Payments in flight by phone, currency and amount: there are many payments of one price, and few of one customer. */
  private readonly inFlight = new MemoryIndex();
  /** Payments that may own money, by currency and amount, and by phone as well. */
  private readonly candidates = new MemoryIndex();
  private readonly candidatesOfPhone = new MemoryIndex();
  /** Payments that are not settled, and those that are followed up: what claims look at. */
  private readonly unsettled = new Set<string>();
  private readonly followed = new Set<string>();

  constructor(
    private readonly account: string,
    private readonly now: () => number,
  ) {
    this.deliveries = new MemoryDeliveries(now);
    this.events = new MemoryEvents(account, now);
  }

  record(payment: NewPayment, { sendBeforeMs }: { sendBeforeMs: number }): RecordResult {
    const existing = this.payments.get(this.idsByKey.get(payment.idempotencyKey) ?? '');
    if (existing) return { kind: 'existing', payment: this.read(existing) };
    const rival = payment.allowParallel ? undefined : this.rivalOf(payment);
    if (rival) return { kind: 'in_flight', paymentId: rival.id };
    const now = this.now();
    const row: PaymentRow = {
      recordedAt: now,
      sendBefore: now + sendBeforeMs,
      dueAt: payment.inBackground ? now : now + sendBeforeMs,
      claimedUntil: 0,
      lookAgain: false,
      hastened: { causes: new Set(), at: 0 },
      history: [],
      record: {
        ...payment,
        state: 'created',
        version: 1,
        platformId: null,
        transaction: null,
        reason: null,
        errors: [],
        cause: null,
        causeDetail: null,
        sender: null,
        sentAt: null,
        windowSwept: false,
        deniedAt: null,
        decided: false,
        emptySuccesses: 0,
        checks: 0,
        ageMs: 0,
        unchangedMs: 0,
        sendWithinMs: sendBeforeMs,
        createdAt: new Date(now),
        updatedAt: new Date(now),
      },
    };
    this.payments.set(payment.id, row);
    this.idsByKey.set(payment.idempotencyKey, payment.id);
    this.index(row.record);
    return { kind: 'recorded', payment: this.read(row) };
  }

  payment(id: string | undefined): PaymentRecord | null {
    const row = this.payments.get(id ?? '');
    return row ? this.read(row) : null;
  }

  allPayments(): PaymentRecord[] {
    return [...this.payments.values()].map((row) => this.read(row));
  }

  allTransactions(): TransactionRecord[] {
    return [...this.transactions.values()];
  }

  paymentByKey(key: string): PaymentRecord | null {
    return this.payment(this.idsByKey.get(key));
  }

  paymentByPlatformId(platformId: string): PaymentRecord | null {
    return this.payment(this.idsByPlatformId.get(platformId));
  }

  history(id: string): StoredHistoryEntry[] {
    return [...(this.payments.get(id)?.history ?? [])];
  }

  findCandidates({ payerHash, sentFrom, sentTo, ...amount }: CandidateQuery): PaymentRecord[] {
    const ids =
      payerHash === null
        ? this.candidates.get(amountKey(amount))
        : this.candidatesOfPhone.get(phoneKey(amount, payerHash));
    return [...ids]
      .map((id) => this.payment(id) as PaymentRecord)
      .filter(({ sentAt }) => sentAt !== null && sentAt >= sentFrom && sentAt <= sentTo)
      .sort((one, other) => (one.sentAt?.getTime() ?? 0) - (other.sentAt?.getTime() ?? 0))
      .slice(0, MOST_FOUND);
  }

  commit(change: LedgerChange): Date | null {
    const row = change.payment && this.payments.get(change.payment.id);
    const known = change.transaction && this.transactions.get(change.transaction.reference);
    if (change.payment && row?.record.version !== change.payment.version) return null;
    if (change.transaction && (known?.version ?? null) !== change.transaction.version) return null;
    const platformId = change.payment?.set.platformId;
    const owner = platformId ? this.idsByPlatformId.get(platformId) : undefined;
    if (owner !== undefined && owner !== change.payment?.id) return null;
    if (change.payment?.set.state === 'requested' && row && this.now() >= row.sendBefore)
      return null;

    const now = new Date(this.now());
    if (change.payment && row) {
      const { set, dueInMs } = change.payment;
      row.record = { ...row.record, ...set, version: row.record.version + 1, updatedAt: now };
      if (platformId) this.idsByPlatformId.set(platformId, row.record.id);
      if (dueInMs !== undefined) {
        const inMs = row.lookAgain && dueInMs !== null ? 0 : (dueInMs ?? Number.POSITIVE_INFINITY);
        row.dueAt = this.now() + inMs;
        row.lookAgain = false;
        row.claimedUntil = 0;
      }
      row.history.push(...change.history.map((entry) => ({ ...entry, at: now })));
      this.index(row.record);
      if ((set.state && isSettled(set.state)) || set.deniedAt || set.decided) this.rivalLeft(row);
    }
    if (change.transaction) {
      const { reference, version, sums } = change.transaction;
      this.transactions.set(reference, {
        account: this.account,
        reference,
        sums,
        version: (version ?? 0) + 1,
        createdAt: known?.createdAt ?? now,
      });
    }
    for (const event of change.events) this.events.write(event);
    return now;
  }

  transaction(reference: string): TransactionRecord | null {
    return this.transactions.get(reference) ?? null;
  }

  untiedTransactions(query: UntiedQuery): TransactionRecord[] {
    const fits = (sum: TransactionSum): boolean =>
      sum.received !== null &&
      ownerIdOf(sum) === null &&
      sum.amountMinor === query.amountMinor &&
      sum.currency === query.currency &&
      (sum.payerHash === null || sum.payerHash === query.payerHash) &&
      sum.originatedAt !== null &&
      sum.originatedAt >= query.from &&
      sum.originatedAt <= query.to;
    const fitting = [...this.transactions.values()]
      .map((record) => ({ record, sums: record.sums.filter(fits) }))
      .filter(({ sums }) => sums.length > 0)
      .map(({ record, sums }) => ({
        record,
        several: record.sums.length > 1,
        showsPayer: sums.some(({ payerHash }) => payerHash !== null),
        origin: Math.min(...sums.map(({ originatedAt }) => originatedAt?.getTime() ?? 0)),
      }))
      .sort((one, other) => one.origin - other.origin);
    const single = fitting.filter(({ several }) => !several);
    return [
      single.filter(({ showsPayer }) => showsPayer),
      single.filter(({ showsPayer }) => !showsPayer),
      fitting.filter(({ several }) => several),
    ]
      .flatMap((found) => found.slice(0, MOST_FOUND))
      .sort((one, other) => one.origin - other.origin)
      .map(({ record }) => record);
  }

  claimDue({
    followed,
    limit,
    leaseMs,
    sendLeaseMs,
  }: {
    followed: boolean;
    limit: number;
    leaseMs: number;
    sendLeaseMs: number;
  }): PaymentRecord[] {
    const now = this.now();
    const due = [...(followed ? this.followed : this.unsettled)]
      .map((id) => this.payments.get(id) as PaymentRow)
      .filter((row) => row.dueAt <= now && row.claimedUntil <= now)
      .sort((a, b) => a.dueAt - b.dueAt)
      .slice(0, limit);
    for (const row of due) {
      row.claimedUntil = now + (row.record.state === 'created' ? sendLeaseMs : leaseMs);
      row.lookAgain = false;
    }
    return due.map((row) => this.read(row));
  }

  schedule(id: string, version: number, next: { inMs: number | null; checks?: number }): void {
    const row = this.payments.get(id);
    if (row?.record.version !== version) return;
    const inMs = row.lookAgain ? 0 : (next.inMs ?? Number.POSITIVE_INFINITY);
    row.dueAt = this.now() + inMs;
    row.lookAgain = false;
    row.claimedUntil = 0;
    if (next.checks !== undefined) row.record = { ...row.record, checks: next.checks };
  }

  hasten(
    ids: readonly string[],
    { cause, againAfterMs }: { cause: string; againAfterMs: number },
  ): void {
    for (const id of ids) {
      const row = this.payments.get(id);
      if (!row || !(isOpen(row.record.state) || FOLLOWED_STATES.includes(row.record.state)))
        continue;
      const { hastened } = row;
      if (hastened.at <= this.now() - againAfterMs) hastened.causes.clear();
      if (hastened.causes.has(cause)) continue;
      hastened.causes.add(cause);
      hastened.at = this.now();
      makeDue(row, this.now());
    }
  }

  keepBareRequest(request: BareRequest): void {
    for (const [key, { at }] of this.bareRequests) {
      if (at > this.now() - MATCHED_FOR_MS) break;
      this.bareRequests.delete(key);
    }
    const key = `${request.resource}/${request.id}`;
    const kept = this.bareRequests.get(key);
    this.bareRequests.set(key, {
      ...request,
      platformId: request.platformId ?? kept?.platformId ?? null,
      money: kept && kept.money === null ? null : request.money,
      at: this.now(),
    });
  }

  bareRequest(resource: string, id: string): BareRequest | null {
    const { at, ...request } = this.bareRequests.get(`${resource}/${id}`) ?? {};
    return at !== undefined && at > this.now() - MATCHED_FOR_MS ? (request as BareRequest) : null;
  }

  bareCandidates({ payerHash, sentFrom, sentTo, ...amount }: CandidateQuery): BareRequest[] {
    return [...this.bareRequests.values()]
      .filter(
        ({ money, at, sentAt }) =>
          money !== null &&
          amountKey(money) === amountKey(amount) &&
          (payerHash === null || money.payerHash === payerHash) &&
          at > this.now() - MATCHED_FOR_MS &&
          sentAt >= sentFrom &&
          sentAt <= sentTo,
      )
      .slice(0, MOST_BARE_CANDIDATES)
      .map(({ at: _, ...request }) => request);
  }

  claim(what: 'sweep' | 'token', owner: string, leaseMs: number): boolean {
    const lease = this.leases.get(what);
    if (lease && lease.owner !== owner && lease.until > this.now()) return false;
    this.leases.set(what, { owner, until: this.now() + leaseMs });
    return true;
  }

  holds(what: 'sweep' | 'token', owner: string): boolean {
    return this.leases.get(what)?.owner === owner;
  }

  release(what: 'sweep' | 'token', owner: string): void {
    if (this.holds(what, owner)) this.leases.delete(what);
  }

  purge({
    personalDataMs,
    dedupeForMs,
    limit,
  }: {
    personalDataMs: number;
    dedupeForMs: number;
    limit: number;
  }): PurgeResult {
    let redacted = this.deliveries.purge(personalDataMs, limit);
    let removed = 0;
    for (const row of this.payments.values()) {
      if (redacted + removed >= limit * 2) break;
      const { record } = row;
      if (!isSettled(record.state) || record.state === 'needs_review') continue;
      const age = this.now() - record.updatedAt.getTime();
      if (age >= dedupeForMs) {
        this.remove(record);
        removed += 1;
      } else if (
        age >= Math.max(personalDataMs, mayBeRival(record) ? MATCHED_FOR_MS : 0) &&
        record.subscriber.phoneNumber !== ''
      ) {
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
        redacted += 1;
      }
    }
    for (const [key, record] of this.transactions) {
      const age = this.now() - record.createdAt.getTime();
      if (age >= dedupeForMs) this.transactions.delete(key);
      else if (age >= Math.max(personalDataMs, isUntied(record) ? MATCHED_FOR_MS : 0)) {
        this.transactions.set(key, {
          ...record,
          sums: record.sums.map((sum) => ({
            ...sum,
            payerHash: null,
            received: withoutPerson(sum.received),
            reversal: withoutPerson(sum.reversal),
          })),
        });
      }
    }
    this.events.purge({ personalDataMs, dedupeForMs });
    return { redacted, removed };
  }

  private index(record: PaymentRecord): void {
    const amount = { currency: record.amount.currency, amountMinor: record.amountMinor };
    const phone = phoneKey(amount, phoneHash(record.subscriber.phoneNumber));
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
    return [...this.inFlight.get(phoneKey(amount, hash))]
      .map((id) => this.payment(id) as PaymentRecord)
      .find(({ tills }) => tills.some((till) => payment.tills.includes(till)));
  }

  /** Payments of which the platform never gave an id are matched again when another one can no longer own their money. */
  private rivalLeft({ record }: PaymentRow): void {
    const amount = { currency: record.amount.currency, amountMinor: record.amountMinor };
    const same = this.candidatesOfPhone.get(
      phoneKey(amount, phoneHash(record.subscriber.phoneNumber)),
    );
    for (const id of same) {
      const row = this.payments.get(id) as PaymentRow;
      const { platformId, state } = row.record;
      if (id === record.id || platformId !== null) continue;
      if (state === 'unknown' || state === 'needs_review') makeDue(row, this.now());
    }
  }

  /** Out of every list that finds it by its phone, which is about to be forgotten. */
  private unindex(record: PaymentRecord): void {
    const amount = { currency: record.amount.currency, amountMinor: record.amountMinor };
    const phone = phoneKey(amount, phoneHash(record.subscriber.phoneNumber));
    this.inFlight.set(phone, record.id, false);
    this.candidates.set(amountKey(amount), record.id, false);
    this.candidatesOfPhone.set(phone, record.id, false);
  }

  private remove(record: PaymentRecord): void {
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

interface AmountOfMoney {
  currency: string;
  amountMinor: string;
}

function amountKey({ currency, amountMinor }: AmountOfMoney): string {
  return `${currency}\n${amountMinor}`;
}

function phoneKey(amount: AmountOfMoney, hash: string): string {
  return `${amountKey(amount)}\n${hash}`;
}

function isUntied({ sums }: TransactionRecord): boolean {
  return sums.some((sum) => sum.received !== null && ownerIdOf(sum) === null);
}

/** A payment that failed after it was sent may be a rival for money as long as money is matched. */
function mayBeRival({ state, sentAt, reason }: PaymentRecord): boolean {
  return state === 'failed' && sentAt !== null && reason !== 'rejected' && reason !== 'not_sent';
}

/** Due now; one that is being looked at is looked at once more. */
function makeDue(row: PaymentRow, now: number): void {
  row.dueAt = Math.min(row.dueAt, now);
  row.lookAgain = true;
}

function put(ids: Set<string>, id: string, belongs: boolean): void {
  if (belongs) ids.add(id);
  else ids.delete(id);
}

function withoutPerson<T extends TransactionSum['received']>(transaction: T): T {
  if (!transaction) return transaction;
  return {
    ...transaction,
    senderFirstName: null,
    senderMiddleName: null,
    senderLastName: null,
    senderPhoneNumber: null,
    hashedSenderPhone: null,
    raw: {},
  };
}
