import type { HostTransaction } from '../../../ledger/host-transaction.js';
import type { StoredHistoryEntry } from '../../../ledger/ledger.store.js';
import type { Operation } from '../../../ledger/operation.js';
import {
  OperationsStore,
  type CandidateQuery,
  type DueClaim,
  type OperationFilter,
  type RecordResult,
} from '../../../ledger/operations.store.js';
import type { NewPayment, PaymentRecord } from '../../../operations/payments/payment.js';
import { StoreUnavailableError } from '../../../payments.errors.js';
import type { Page, PageRequest } from '../../../values/page.js';
import { claimLongestDue } from '../memory.due.js';
import { isWithin, pageOf } from '../memory.page.js';
import { PerAccount } from '../../../runtime/per-account.js';
import { MemoryOperations } from './memory-operations.js';

export class MemoryOperationsStore extends OperationsStore<PaymentRecord, NewPayment> {
  readonly shared = false;
  private readonly accounts: PerAccount<MemoryOperations>;

  constructor(now: () => number) {
    super();
    this.accounts = new PerAccount(() => new MemoryOperations(now));
  }

  of(account: string): MemoryOperations {
    return this.accounts.of(account);
  }

  async record(
    operation: NewPayment,
    options: { sendBeforeMs: number; transaction?: HostTransaction },
  ): Promise<RecordResult<PaymentRecord>> {
    if (options.transaction) {
      throw new StoreUnavailableError(
        'memory cannot join your database transaction; use PostgresStore of @tillkit/postgres',
      );
    }
    return this.of(operation.account).record(operation, options);
  }

  async findMany(
    account: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, PaymentRecord>> {
    const operations = this.of(account);
    const found = new Map<string, PaymentRecord>();
    for (const id of ids) {
      const operation = operations.find(id);
      if (operation) found.set(id, operation);
    }
    return found;
  }

  async findByIdempotencyKey(account: string, key: string): Promise<PaymentRecord | null> {
    return this.of(account).findByKey(key);
  }

  async findByPlatformId(account: string, platformId: string): Promise<PaymentRecord | null> {
    return this.of(account).findByPlatformId(platformId);
  }

  async findCandidates(account: string, query: CandidateQuery): Promise<PaymentRecord[]> {
    return this.of(account).findCandidates(query);
  }

  async history(account: string, id: string): Promise<StoredHistoryEntry[]> {
    return this.of(account).history(id);
  }

  async list(
    account: string,
    filter: OperationFilter,
    page: PageRequest,
  ): Promise<Page<PaymentRecord>> {
    const found = this.of(account)
      .all()
      .filter((operation) => fits(operation, filter));
    return pageOf(found, page, ({ createdAt, id }) => [createdAt, id]);
  }

  async claimDue(accounts: readonly string[], claim: DueClaim): Promise<PaymentRecord[]> {
    const due = accounts.flatMap((account) => this.of(account).due(claim));
    return claimLongestDue(due, claim.limit);
  }

  async schedule(
    { account, id, version }: Pick<Operation, 'account' | 'id' | 'version'>,
    next: { inMs: number | null; checks?: number },
  ): Promise<void> {
    this.of(account).schedule(id, version, next);
  }

  async makeDue(
    account: string,
    ids: readonly string[],
    reason: { cause: string; againAfterMs: number },
  ): Promise<void> {
    this.of(account).makeDue(ids, reason);
  }
}

function fits(payment: PaymentRecord, filter: OperationFilter): boolean {
  return (
    (filter.states === undefined || filter.states.includes(payment.state)) &&
    (filter.phoneNumber === undefined || payment.subscriber.phoneNumber === filter.phoneNumber) &&
    (filter.idempotencyKey === undefined || payment.idempotencyKey === filter.idempotencyKey) &&
    (filter.platformId === undefined || payment.platformId === filter.platformId) &&
    (filter.reference === undefined || payment.transaction?.reference === filter.reference) &&
    isWithin(payment.createdAt, filter.from, filter.to)
  );
}
