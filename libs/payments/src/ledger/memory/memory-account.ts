import { IN_FLIGHT_STATES, isOpen, isSettled } from '../payment.states.js';
import type { PaymentRecord } from '../payment.js';
import type {
  LedgerChange,
  NewPayment,
  PurgeResult,
  RecordResult,
  StoredHistoryEntry,
  SweepProgress,
} from '../payments.store.js';
import type { MoneyKey, TransactionRecord } from '../till-transaction.js';
import { MemoryDeliveries } from './memory-deliveries.js';
import { MemoryIndex } from './memory-index.js';
import { MemoryEvents } from './memory-events.js';

interface PaymentRow {
  record: PaymentRecord;
  recordedAt: number;
  sendBefore: number;
  /** Infinity: never. */
  dueAt: number;
  history: StoredHistoryEntry[];
}

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
  sweep: SweepProgress | null = null;
  sealedToken: { sealed: Buffer; expiresAt: number } | null = null;
  private readonly leases = new Map<'sweep' | 'token', Lease>();
  private readonly payments = new Map<string, PaymentRow>();
  private readonly idsByKey = new Map<string, string>();
  private readonly idsByPlatformId = new Map<string, string>();
  private readonly transactions = new Map<string, TransactionRecord>();
  /** Payments in flight by till, currency and amount, so that looking one up costs the same however many there were. */
  private readonly inFlight = new MemoryIndex();
  /** The same by phone as well: there are many payments of one price, and few of one customer. */
  private readonly inFlightOfPhone = new MemoryIndex();
  private readonly unsettled = new Set<string>();

  constructor(
    private readonly account: string,
    private readonly now: () => number,
  ) {
    this.deliveries = new MemoryDeliveries(now);
    this.events = new MemoryEvents(account, now);
  }

  record(
    payment: NewPayment,
    { sendBeforeMs, dueInMs }: { sendBeforeMs: number; dueInMs: number },
  ): RecordResult {
    const existing = this.payments.get(this.idsByKey.get(payment.idempotencyKey) ?? '');
    if (existing) return { kind: 'existing', payment: this.read(existing) };
    const rival = payment.allowParallel ? undefined : this.inFlightOfPhone.first(phoneKey(payment));
    if (rival) return { kind: 'in_flight', paymentId: rival };
    const now = this.now();
    const row: PaymentRow = {
      recordedAt: now,
      sendBefore: now + sendBeforeMs,
      dueAt: now + dueInMs,
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
        sentAt: null,
        emptySuccesses: 0,
        checks: 0,
        ageMs: 0,
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

  openPayments(like: AmountAtTill): PaymentRecord[] {
    return [...this.inFlight.get(amountKey(like))]
      .map((id) => this.payment(id) as PaymentRecord)
      .filter((record) => isOpen(record.state))
      .slice(0, 100);
  }

  commit(change: LedgerChange): Date | null {
    const row = change.payment && this.payments.get(change.payment.id);
    const known = change.transaction && this.transactions.get(moneyText(change.transaction));
    if (change.payment && row?.record.version !== change.payment.version) return null;
    if (change.transaction && (known?.version ?? null) !== change.transaction.version) return null;
    const platformId = change.payment?.set.platformId;
    const owner = platformId ? this.idsByPlatformId.get(platformId) : undefined;
    if (owner !== undefined && owner !== change.payment?.id) return null;

    const now = new Date(this.now());
    if (change.payment && row) {
      const { set, dueInMs } = change.payment;
      row.record = { ...row.record, ...set, version: row.record.version + 1, updatedAt: now };
      if (platformId) this.idsByPlatformId.set(platformId, row.record.id);
      if (dueInMs !== undefined)
        row.dueAt = dueInMs === null ? Number.POSITIVE_INFINITY : this.now() + dueInMs;
      row.history.push(...change.history.map((entry) => ({ ...entry, at: now })));
      this.index(row.record);
    }
    if (change.transaction) {
      const { reference, tillKey, version, set } = change.transaction;
      this.transactions.set(moneyText(change.transaction), {
        account: this.account,
        reference,
        tillKey,
        ...set,
        version: (version ?? 0) + 1,
        createdAt: known?.createdAt ?? now,
      });
    }
    for (const event of change.events) this.events.write(event);
    return now;
  }

  transaction(key: MoneyKey): TransactionRecord | null {
    return this.transactions.get(moneyText(key)) ?? null;
  }

  untiedTransactions(like: AmountAtTill & { from: Date; to: Date }): TransactionRecord[] {
    return [...this.transactions.values()]
      .filter(
        (record) =>
          record.received !== null &&
          record.paymentId === null &&
          record.amountMinor !== null &&
          amountKey({
            ...record,
            currency: record.currency ?? '',
            amountMinor: record.amountMinor,
          }) === amountKey(like) &&
          record.originatedAt !== null &&
          record.originatedAt >= like.from &&
          record.originatedAt <= like.to,
      )
      .slice(0, 100);
  }

  claimDue(limit: number, leaseMs: number): PaymentRecord[] {
    const due = [...this.unsettled]
      .map((id) => this.payments.get(id) as PaymentRow)
      .filter((row) => row.dueAt <= this.now())
      .sort((a, b) => a.dueAt - b.dueAt)
      .slice(0, limit);
    for (const row of due) row.dueAt = this.now() + leaseMs;
    return due.map((row) => this.read(row));
  }

  schedule(id: string, next: { inMs: number; checks?: number }): void {
    const row = this.payments.get(id);
    if (!row || !this.unsettled.has(id)) return;
    row.dueAt = this.now() + next.inMs;
    if (next.checks !== undefined) row.record = { ...row.record, checks: next.checks };
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
      } else if (age >= personalDataMs && record.subscriber.phoneNumber !== '') {
        row.record = {
          ...record,
          subscriber: { firstName: '', lastName: '', phoneNumber: '' },
          metadata: null,
          transaction: withoutPerson(record.transaction),
        };
        row.history = [];
        redacted += 1;
      }
    }
    for (const [key, record] of this.transactions) {
      const age = this.now() - record.createdAt.getTime();
      if (age >= dedupeForMs) this.transactions.delete(key);
      else if (age >= personalDataMs) {
        this.transactions.set(key, {
          ...record,
          received: withoutPerson(record.received),
          reversal: withoutPerson(record.reversal),
        });
      }
    }
    this.events.purge({ personalDataMs, dedupeForMs });
    return { redacted, removed };
  }

  private index(record: PaymentRecord): void {
    const inFlight = IN_FLIGHT_STATES.includes(record.state);
    const like = { ...record, currency: record.amount.currency };
    this.inFlight.set(amountKey(like), record.id, inFlight);
    this.inFlightOfPhone.set(phoneKey(record), record.id, inFlight);
    if (inFlight) this.unsettled.add(record.id);
    else if (record.state !== 'needs_review') this.unsettled.delete(record.id);
  }

  private remove(record: PaymentRecord): void {
    this.payments.delete(record.id);
    this.idsByKey.delete(record.idempotencyKey);
    if (record.platformId) this.idsByPlatformId.delete(record.platformId);
  }

  private read(row: PaymentRow): PaymentRecord {
    const now = this.now();
    return { ...row.record, ageMs: now - row.recordedAt, sendWithinMs: row.sendBefore - now };
  }
}

interface AmountAtTill {
  tillKey: string;
  currency: string;
  amountMinor: string;
}

function amountKey({ tillKey, currency, amountMinor }: AmountAtTill): string {
  return `${tillKey}\n${currency}\n${amountMinor}`;
}

function phoneKey(payment: NewPayment): string {
  const { phoneNumber } = payment.subscriber;
  return `${amountKey({ ...payment, currency: payment.amount.currency })}\n${phoneNumber}`;
}

function moneyText({ reference, tillKey }: MoneyKey): string {
  return `${tillKey}\n${reference}`;
}

function withoutPerson<T extends TransactionRecord['received']>(transaction: T): T {
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
