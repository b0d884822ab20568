import type { PaymentsEventName } from '../ledger.events.js';
import type { PaymentRecord } from '../payment.js';
import { StoreUnavailableError } from '../../payments.errors.js';
import {
  PaymentsStore,
  type BareRequest,
  type CandidateQuery,
  type Claim,
  type ClaimedDelivery,
  type ClaimOutcome,
  type DeadLetter,
  type DeliveryKind,
  type DeliveryRecord,
  type HostTransaction,
  type LedgerChange,
  type ListenerCall,
  type NewDelivery,
  type NewPayment,
  type PurgeResult,
  type RecordResult,
  type StoredHistoryEntry,
  type SweepProgress,
  type UnheardListener,
  type UntiedQuery,
} from '../payments.store.js';
import type {
  DeliveryFilter,
  DeliverySummary,
  Page,
  PageRequest,
  PaymentFilter,
  Statistics,
  StoredEvent,
  TransactionFilter,
} from '../store.views.js';
import type { TransactionRecord } from '../till-transaction.js';
import { MemoryAccount } from './memory-account.js';
import { listDeliveries, listPayments, listTransactions, statistics } from './memory-views.js';

/**
 * The store that needs nothing: this process's memory. It keeps every promise while the process lives. A restart forgets
 * payments, idempotency keys and what was told: for production use `@tillkit/postgres`.
 * @publicApi
 */
export class MemoryStore extends PaymentsStore {
  readonly shared = false;
  private readonly accounts = new Map<string, MemoryAccount>();

  /** @param now the store's clock in epoch milliseconds; tests give their own */
  constructor(private readonly now: () => number = Date.now) {
    super();
  }

  async init(): Promise<void> {}

  async recordPayment(
    payment: NewPayment,
    options: { sendBeforeMs: number; transaction?: HostTransaction },
  ): Promise<RecordResult> {
    if (options.transaction) {
      throw new StoreUnavailableError(
        'memory cannot join your database transaction; use PostgresStore of @tillkit/postgres',
      );
    }
    return this.of(payment.account).record(payment, options);
  }

  async findPayment(account: string, id: string): Promise<PaymentRecord | null> {
    return this.of(account).payment(id);
  }

  async findPaymentByIdempotencyKey(account: string, key: string): Promise<PaymentRecord | null> {
    return this.of(account).paymentByKey(key);
  }

  async findPaymentByPlatformId(
    account: string,
    platformId: string,
  ): Promise<PaymentRecord | null> {
    return this.of(account).paymentByPlatformId(platformId);
  }

  async findCandidates(account: string, query: CandidateQuery): Promise<PaymentRecord[]> {
    return this.of(account).findCandidates(query);
  }

  async paymentHistory(account: string, id: string): Promise<StoredHistoryEntry[]> {
    return this.of(account).history(id);
  }

  async commit(change: LedgerChange): Promise<Date | null> {
    return this.of(change.account).commit(change);
  }

  async findTransaction(account: string, reference: string): Promise<TransactionRecord | null> {
    return this.of(account).transaction(reference);
  }

  async findUntiedTransactions(account: string, query: UntiedQuery): Promise<TransactionRecord[]> {
    return this.of(account).untiedTransactions(query);
  }

  async claimDuePayments(
    account: string,
    claim: { followed: boolean; limit: number; leaseMs: number; sendLeaseMs: number },
  ): Promise<PaymentRecord[]> {
    return this.of(account).claimDue(claim);
  }

  async schedulePayment(
    { account, id, version }: Pick<PaymentRecord, 'account' | 'id' | 'version'>,
    next: { inMs: number | null; checks?: number },
  ): Promise<void> {
    this.of(account).schedule(id, version, next);
  }

  async hastenPayments(
    account: string,
    ids: readonly string[],
    reason: { cause: string; againAfterMs: number },
  ): Promise<void> {
    this.of(account).hasten(ids, reason);
  }

  async keepBareRequest(account: string, request: BareRequest): Promise<void> {
    this.of(account).keepBareRequest(request);
  }

  async findBareRequest(
    account: string,
    resource: BareRequest['resource'],
    id: string,
  ): Promise<BareRequest | null> {
    return this.of(account).bareRequest(resource, id);
  }

  async findBareCandidates(account: string, query: CandidateQuery): Promise<BareRequest[]> {
    return this.of(account).bareCandidates(query);
  }

  async storeDelivery(delivery: NewDelivery): Promise<{ duplicate: boolean }> {
    return this.of(delivery.account).deliveries.store(delivery);
  }

  async claimDeliveries(
    account: string,
    kind: DeliveryKind,
    limit: number,
    leaseMs: number,
  ): Promise<ClaimedDelivery[]> {
    return this.of(account).deliveries.claim(kind, limit, leaseMs);
  }

  async finishDelivery(claim: Claim, outcome: ClaimOutcome): Promise<boolean> {
    return this.of(claim.account).deliveries.finish(claim, outcome);
  }

  async findDelivery(account: string, id: string): Promise<DeliveryRecord | null> {
    return this.of(account).deliveries.find(id);
  }

  async replayDelivery(account: string, id: string): Promise<boolean> {
    return this.of(account).deliveries.replay(id);
  }

  async registerListeners(
    account: string,
    listeners: readonly { event: PaymentsEventName; listener: string }[],
  ): Promise<void> {
    this.of(account).events.register(listeners);
  }

  async forgetListener(account: string, listener: string): Promise<number> {
    return this.of(account).events.forget(listener);
  }

  async claimCalls(
    account: string,
    listeners: readonly string[],
    limit: number,
    leaseMs: number,
    mostOfEach?: readonly number[],
  ): Promise<ListenerCall[]> {
    return this.of(account).events.claim(listeners, limit, leaseMs, mostOfEach);
  }

  async finishCall(claim: Claim, outcome: ClaimOutcome): Promise<boolean> {
    return this.of(claim.account).events.finish(claim, outcome);
  }

  async renewCalls(claims: readonly Claim[], leaseMs: number): Promise<string[]> {
    const [first] = claims;
    return first ? this.of(first.account).events.renew(claims, leaseMs) : [];
  }

  async deadLetters(account: string, limit: number): Promise<DeadLetter[]> {
    return this.of(account).events.deadLetters(limit);
  }

  async replayDeadLetters(account: string, id?: string): Promise<number> {
    return this.of(account).events.replay(id);
  }

  async unheardListeners(account: string, dueForMs: number): Promise<UnheardListener[]> {
    return this.of(account).events.unheard(dueForMs);
  }

  async msSinceFirstStart(account: string): Promise<number> {
    const kept = this.of(account);
    return this.now() - (kept.startedAt ??= this.now());
  }

  async sweepProgress(account: string, start: Date): Promise<SweepProgress> {
    return (this.of(account).sweep ??= { sweepFrom: start, watermark: start, recoveredAt: null });
  }

  async claimSweep(account: string, owner: string, leaseMs: number): Promise<boolean> {
    return this.of(account).claim('sweep', owner, leaseMs);
  }

  async saveSweep(
    account: string,
    owner: string,
    progress: Pick<SweepProgress, 'watermark' | 'recoveredAt'>,
  ): Promise<boolean> {
    const kept = this.of(account);
    if (!kept.sweep || !kept.holds('sweep', owner)) return false;
    kept.sweep = { ...kept.sweep, ...progress };
    return true;
  }

  async readToken(account: string): Promise<{ sealed: Buffer; expiresInMs: number } | null> {
    const token = this.of(account).sealedToken;
    const expiresInMs = (token?.expiresAt ?? 0) - this.now();
    return token && expiresInMs > 0 ? { sealed: token.sealed, expiresInMs } : null;
  }

  async claimTokenRenewal(account: string, owner: string, leaseMs: number): Promise<boolean> {
    return this.of(account).claim('token', owner, leaseMs);
  }

  async saveToken(
    account: string,
    owner: string,
    sealed: Buffer,
    expiresInMs: number,
  ): Promise<void> {
    const kept = this.of(account);
    kept.sealedToken = { sealed, expiresAt: this.now() + expiresInMs };
    kept.release('token', owner);
  }

  async releaseTokenRenewal(account: string, owner: string): Promise<void> {
    this.of(account).release('token', owner);
  }

  async clearToken(account: string): Promise<void> {
    this.of(account).sealedToken = null;
  }

  async count(account: string, what: string, example: string): Promise<void> {
    const { counts } = this.of(account);
    const count = (counts.get(what)?.count ?? 0) + 1;
    counts.set(what, { what, example, count, lastAt: new Date(this.now()) });
  }

  async counts(
    account: string,
  ): Promise<{ what: string; example: string; count: number; lastAt: Date }[]> {
    return [...this.of(account).counts.values()];
  }

  async purge(
    account: string,
    policy: { personalDataMs: number; dedupeForMs: number; limit: number },
  ): Promise<PurgeResult> {
    return this.of(account).purge(policy);
  }

  async listPayments(
    account: string,
    filter: PaymentFilter,
    page: PageRequest,
  ): Promise<Page<PaymentRecord>> {
    return listPayments(this.of(account), filter, page);
  }

  async listTransactions(
    account: string,
    filter: TransactionFilter,
    page: PageRequest,
  ): Promise<Page<TransactionRecord>> {
    return listTransactions(this.of(account), filter, page);
  }

  async listDeliveries(
    account: string,
    filter: DeliveryFilter,
    page: PageRequest,
  ): Promise<Page<DeliverySummary>> {
    return listDeliveries(this.of(account), filter, page);
  }

  async listEvents(account: string, stream: string): Promise<StoredEvent[]> {
    return this.of(account).events.list(stream);
  }

  async statistics(account: string, window: { from: Date; to: Date }): Promise<Statistics> {
    return statistics(this.of(account), window, this.now());
  }

  private of(account: string): MemoryAccount {
    const known = this.accounts.get(account);
    if (known) return known;
    const created = new MemoryAccount(account, this.now);
    this.accounts.set(account, created);
    return created;
  }
}
