import type { OnApplicationShutdown } from '@nestjs/common';
import {
  PaymentsStore,
  type BareRequest,
  type CandidateQuery,
  type Claim,
  type ClaimedDelivery,
  type ClaimOutcome,
  type DeadLetter,
  type DeliveryFilter,
  type DeliveryKind,
  type DeliveryRecord,
  type DeliverySummary,
  type HostTransaction,
  type LedgerChange,
  type ListenerCall,
  type NewDelivery,
  type NewPayment,
  type Page,
  type PageRequest,
  type PaymentFilter,
  type PaymentRecord,
  type PaymentsEventName,
  type PurgeResult,
  type RecordResult,
  type Statistics,
  type StoredEvent,
  type StoredHistoryEntry,
  type SweepProgress,
  type UnheardListener,
  type TransactionFilter,
  type TransactionRecord,
  type UntiedQuery,
} from '@tillkit/payments/store';
import { checkSchema, migrate } from './migrate.js';
import { Database } from './postgres.database.js';
import { resolvePostgresOptions, type PostgresStoreOptions } from './postgres.options.js';
import { BareRequestsTable } from './tables/bare-requests.table.js';
import { CallsTable } from './tables/calls.table.js';
import { DeliveriesTable } from './tables/deliveries.table.js';
import { LeasesTable } from './tables/leases.table.js';
import { LedgerTable } from './tables/ledger.table.js';
import { PaymentsTable, recordingLimits } from './tables/payments.table.js';
import { purge } from './tables/retention.js';
import { Views } from './tables/views.js';

/**
 * Payments in PostgreSQL (13 or newer): nothing is lost by a restart, and any number of replicas work on the same
 * payments. The schema is brought up to date by whatever is asked first.
 * @publicApi
 */
export class PostgresStore extends PaymentsStore implements OnApplicationShutdown {
  readonly shared = true;
  readonly #database: Database;
  readonly #migrate: boolean;
  readonly #payments: PaymentsTable;
  readonly #ledger: LedgerTable;
  readonly #bareRequests: BareRequestsTable;
  readonly #deliveries: DeliveriesTable;
  readonly #calls: CallsTable;
  readonly #leases: LeasesTable;
  readonly #views: Views;
  #ready: Promise<void> | undefined;

  constructor(options: PostgresStoreOptions = {}) {
    super();
    const resolved = resolvePostgresOptions(options);
    this.#migrate = resolved.migrate;
    this.#database = new Database(resolved);
    const { maxQueued, timeoutMs } = resolved.batch;
    const limits = { maxQueued, timeoutMs };
    this.#payments = new PaymentsTable(
      this.#database,
      limits,
      recordingLimits(resolved.statementTimeoutMs),
    );
    this.#ledger = new LedgerTable(this.#database, limits);
    this.#bareRequests = new BareRequestsTable(this.#database);
    this.#deliveries = new DeliveriesTable(this.#database, resolved.batch);
    this.#calls = new CallsTable(this.#database, limits);
    this.#leases = new LeasesTable(this.#database);
    this.#views = new Views(this.#database);
  }

  /** Brings the schema up to date, or refuses one that is newer. A failure is no end: the next call tries again. */
  init(): Promise<void> {
    this.#ready ??= this.#prepare();
    return this.#ready;
  }

  /** Ends what is under way, then the store's own connections; a pool of the host stays open. */
  async close(): Promise<void> {
    const busy = [this.#payments, this.#ledger, this.#deliveries, this.#calls];
    await Promise.all(busy.map((table) => table.drain()));
    await this.#database.close();
  }

  /** Nest's last hook: whatever works with the store has ended in an earlier one. */
  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  async recordPayment(
    payment: NewPayment,
    options: { sendBeforeMs: number; transaction?: HostTransaction },
  ): Promise<RecordResult> {
    await this.init();
    return this.#payments.record(payment, options);
  }

  async findPayment(account: string, id: string): Promise<PaymentRecord | null> {
    await this.init();
    return this.#payments.find(account, id);
  }

  async findPaymentByIdempotencyKey(account: string, key: string): Promise<PaymentRecord | null> {
    await this.init();
    return this.#payments.findByKey(account, key);
  }

  async findPaymentByPlatformId(
    account: string,
    platformId: string,
  ): Promise<PaymentRecord | null> {
    await this.init();
    return this.#payments.findByPlatformId(account, platformId);
  }

  async findCandidates(account: string, query: CandidateQuery): Promise<PaymentRecord[]> {
    await this.init();
    return this.#payments.candidates(account, query);
  }

  async paymentHistory(account: string, id: string): Promise<StoredHistoryEntry[]> {
    await this.init();
    return this.#payments.history(account, id);
  }

  async commit(change: LedgerChange): Promise<Date | null> {
    await this.init();
    return this.#ledger.commit(change);
  }

  async findTransaction(account: string, reference: string): Promise<TransactionRecord | null> {
    await this.init();
    return this.#ledger.findTransaction(account, reference);
  }

  async findUntiedTransactions(account: string, query: UntiedQuery): Promise<TransactionRecord[]> {
    await this.init();
    return this.#ledger.findUntied(account, query);
  }

  async claimDuePayments(
    account: string,
    claim: { followed: boolean; limit: number; leaseMs: number; sendLeaseMs: number },
  ): Promise<PaymentRecord[]> {
    await this.init();
    return this.#payments.claimDue(account, claim);
  }

  async schedulePayment(
    payment: Pick<PaymentRecord, 'account' | 'id' | 'version'>,
    next: { inMs: number | null; checks?: number },
  ): Promise<void> {
    await this.init();
    return this.#payments.schedule(payment, next);
  }

  async hastenPayments(
    account: string,
    ids: readonly string[],
    reason: { cause: string; againAfterMs: number },
  ): Promise<void> {
    await this.init();
    return this.#payments.hasten(account, ids, reason);
  }

  async keepBareRequest(account: string, request: BareRequest): Promise<void> {
    await this.init();
    return this.#bareRequests.keep(account, request);
  }

  async findBareRequest(
    account: string,
    resource: BareRequest['resource'],
    id: string,
  ): Promise<BareRequest | null> {
    await this.init();
    return this.#bareRequests.find(account, resource, id);
  }

  async findBareCandidates(account: string, query: CandidateQuery): Promise<BareRequest[]> {
    await this.init();
    return this.#bareRequests.candidates(account, query);
  }

  async storeDelivery(delivery: NewDelivery): Promise<{ duplicate: boolean }> {
    await this.init();
    return this.#deliveries.store(delivery);
  }

  async claimDeliveries(
    account: string,
    kind: DeliveryKind,
    limit: number,
    leaseMs: number,
  ): Promise<ClaimedDelivery[]> {
    await this.init();
    return this.#deliveries.claim(account, kind, limit, leaseMs);
  }

  async finishDelivery(claim: Claim, outcome: ClaimOutcome): Promise<boolean> {
    await this.init();
    return this.#deliveries.finish(claim, outcome);
  }

  async findDelivery(account: string, id: string): Promise<DeliveryRecord | null> {
    await this.init();
    return this.#deliveries.find(account, id);
  }

  async replayDelivery(account: string, id: string): Promise<boolean> {
    await this.init();
    return this.#deliveries.replay(account, id);
  }

  async registerListeners(
    account: string,
    listeners: readonly { event: PaymentsEventName; listener: string }[],
  ): Promise<void> {
    await this.init();
    return this.#calls.register(account, listeners);
  }

  async forgetListener(account: string, listener: string): Promise<number> {
    await this.init();
    return this.#calls.forget(account, listener);
  }

  async claimCalls(
    account: string,
    listeners: readonly string[],
    limit: number,
    leaseMs: number,
    mostOfEach?: readonly number[],
  ): Promise<ListenerCall[]> {
    await this.init();
    return this.#calls.claim(account, listeners, limit, leaseMs, mostOfEach);
  }

  async finishCall(claim: Claim, outcome: ClaimOutcome): Promise<boolean> {
    await this.init();
    return this.#calls.finish(claim, outcome);
  }

  async renewCalls(claims: readonly Claim[], leaseMs: number): Promise<string[]> {
    await this.init();
    return this.#calls.renew(claims, leaseMs);
  }

  async deadLetters(account: string, limit: number): Promise<DeadLetter[]> {
    await this.init();
    return this.#calls.deadLetters(account, limit);
  }

  async replayDeadLetters(account: string, id?: string): Promise<number> {
    await this.init();
    return this.#calls.replay(account, id);
  }

  async unheardListeners(account: string, dueForMs: number): Promise<UnheardListener[]> {
    await this.init();
    return this.#calls.unheard(account, dueForMs);
  }

  async msSinceFirstStart(account: string): Promise<number> {
    await this.init();
    return this.#leases.msSinceFirstStart(account);
  }

  async sweepProgress(account: string, start: Date): Promise<SweepProgress> {
    await this.init();
    return this.#leases.sweepProgress(account, start);
  }

  async claimSweep(account: string, owner: string, leaseMs: number): Promise<boolean> {
    await this.init();
    return this.#leases.claimSweep(account, owner, leaseMs);
  }

  async saveSweep(
    account: string,
    owner: string,
    progress: Pick<SweepProgress, 'watermark' | 'recoveredAt'>,
  ): Promise<boolean> {
    await this.init();
    return this.#leases.saveSweep(account, owner, progress);
  }

  async readToken(account: string): Promise<{ sealed: Buffer; expiresInMs: number } | null> {
    await this.init();
    return this.#leases.readToken(account);
  }

  async claimTokenRenewal(account: string, owner: string, leaseMs: number): Promise<boolean> {
    await this.init();
    return this.#leases.claimTokenRenewal(account, owner, leaseMs);
  }

  async saveToken(
    account: string,
    owner: string,
    sealed: Buffer,
    expiresInMs: number,
  ): Promise<void> {
    await this.init();
    return this.#leases.saveToken(account, owner, sealed, expiresInMs);
  }

  async releaseTokenRenewal(account: string, owner: string): Promise<void> {
    await this.init();
    return this.#leases.releaseTokenRenewal(account, owner);
  }

  async clearToken(account: string): Promise<void> {
    await this.init();
    return this.#leases.clearToken(account);
  }

  async count(account: string, what: string, example: string): Promise<void> {
    await this.init();
    return this.#leases.count(account, what, example);
  }

  async counts(
    account: string,
  ): Promise<{ what: string; example: string; count: number; lastAt: Date }[]> {
    await this.init();
    return this.#leases.counts(account);
  }

  async purge(
    account: string,
    policy: { personalDataMs: number; dedupeForMs: number; limit: number },
  ): Promise<PurgeResult> {
    await this.init();
    return purge(this.#database, account, policy);
  }

  async listPayments(
    account: string,
    filter: PaymentFilter,
    page: PageRequest,
  ): Promise<Page<PaymentRecord>> {
    await this.init();
    return this.#views.payments(account, filter, page);
  }

  async listTransactions(
    account: string,
    filter: TransactionFilter,
    page: PageRequest,
  ): Promise<Page<TransactionRecord>> {
    await this.init();
    return this.#views.transactions(account, filter, page);
  }

  async listDeliveries(
    account: string,
    filter: DeliveryFilter,
    page: PageRequest,
  ): Promise<Page<DeliverySummary>> {
    await this.init();
    return this.#views.deliveries(account, filter, page);
  }

  async listEvents(account: string, stream: string): Promise<StoredEvent[]> {
    await this.init();
    return this.#views.events(account, stream);
  }

  async statistics(account: string, window: { from: Date; to: Date }): Promise<Statistics> {
    await this.init();
    return this.#views.statistics(account, window);
  }

  async #prepare(): Promise<void> {
    try {
      if (this.#migrate) await migrate(this.#database);
      else await checkSchema(this.#database);
    } catch (error) {
      this.#ready = undefined;
      throw error;
    }
  }
}
