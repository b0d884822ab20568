import { checkOperationFilter } from '../../list-filters.js';
import { NEVER } from 'rxjs';
import type { StoredHistoryEntry } from '../../ledger.store.js';
import type { AskedAgain, Operation } from '../../operation.js';
import {
  OperationsStore,
  type CandidateQuery,
  type DueClaim,
  type OperationFilter,
  type RecordOptions,
  type RecordResult,
  type RefusedRecord,
  type UnmatchedQuery,
} from '../../operations.store.js';
import {
  payerHashOf,
  type NewOperationRecord,
  type OperationRecord,
} from '../../operation-forms.js';
import { StoreUnavailableError } from '../../../payments.errors.js';
import { phoneHash } from '../../../money/phone-number.js';
import type { Page, PageRequest } from '../../page.js';
import { isInReview } from '../../../ledger/operation-states.js';
import { isPayment } from '../../../operations/payments/payment.js';
import { isRefund } from '../../../operations/refunds/refund.js';
import { wordsOf } from '../../search-words.js';
import { claimLongestDue } from '../memory-due.js';
import { isWithin, pageOf } from '../memory.page.js';
import { PerAccount } from '../../../work/per-account.js';
import type { MemoryPausesStore } from '../pauses/memory-pauses.store.js';
import { MemoryOperations } from './memory-operations.js';
import type { AccountScope } from '../../../work/account-scope.js';

export class MemoryOperationsStore extends OperationsStore<OperationRecord, NewOperationRecord> {
  readonly shared = false;
  private readonly accounts: PerAccount<MemoryOperations>;

  constructor(
    private readonly pauses: MemoryPausesStore,
    now: () => number,
  ) {
    super();
    this.accounts = new PerAccount(
      (account) => new MemoryOperations(account, () => pauses.pausing(account) === null, now),
      NEVER,
    );
  }

  of(account: string): MemoryOperations {
    return this.accounts.of(account);
  }

  within(accounts: AccountScope): MemoryOperations[] {
    return this.accounts.within(accounts);
  }

  hasOpen(account: string): boolean {
    const own = this.of(account);
    return own.waiting(false).length + own.waiting(true).length > 0;
  }

  async record(
    operation: NewOperationRecord,
    options: RecordOptions,
  ): Promise<RecordResult<OperationRecord>> {
    if (options.transaction) {
      throw new StoreUnavailableError(
        'memory cannot join your database transaction; use PostgresStore of @tillkit/postgres',
      );
    }
    const { account, kind, idempotencyKey } = operation;
    const own = this.of(account);
    const pause = this.pauses.pausing(account);
    if (pause && !own.findByKey(kind, idempotencyKey)) return { kind: 'paused', pause };
    return own.record(operation, options);
  }

  async refusalOf(asked: AskedAgain): Promise<RefusedRecord | null> {
    return this.of(asked.account).refusalOf(asked);
  }

  async findUnmatched(
    account: string,
    { sentFrom, sentTo, after, limit }: UnmatchedQuery,
  ): Promise<OperationRecord[]> {
    const order = ({ sentAt, id }: { sentAt: Date | null; id: string }): string =>
      `${String(Number(sentAt)).padStart(16, '0')} ${id}`;
    return this.of(account)
      .all()
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

  async transferOwners(
    account: string,
    references: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const { idsByTransfer } = this.of(account);
    return new Map(
      references.flatMap((reference) => {
        const id = idsByTransfer.get(reference);
        return id === undefined ? [] : [[reference, id] as const];
      }),
    );
  }

  async findMany(
    account: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, OperationRecord>> {
    const operations = this.of(account);
    const found = new Map<string, OperationRecord>();
    for (const id of ids) {
      const operation = operations.find(id);
      if (operation) found.set(id, operation);
    }
    return found;
  }

  async findByIdempotencyKey(
    account: string,
    kind: string,
    key: string,
  ): Promise<OperationRecord | null> {
    return this.of(account).findByKey(kind, key);
  }

  async findByPlatformId(
    account: string,
    kind: string,
    platformId: string,
  ): Promise<OperationRecord | null> {
    return this.of(account).findByPlatformId(kind, platformId);
  }

  async findCandidates(account: string, query: CandidateQuery): Promise<OperationRecord[]> {
    return this.of(account).findCandidates(query);
  }

  async history(account: string, id: string): Promise<StoredHistoryEntry[]> {
    return this.of(account).history(id);
  }

  async dueAt(account: string, id: string): Promise<Date | null> {
    return this.of(account).dueAt(id);
  }

  async list(
    account: string,
    filter: OperationFilter,
    page: PageRequest,
  ): Promise<Page<OperationRecord>> {
    checkOperationFilter(filter);
    const found = this.of(account)
      .all()
      .filter((operation) => fits(operation, filter));
    return pageOf(found, page, ({ createdAt, id }) => [createdAt, id]);
  }

  async claimDue(accounts: readonly string[], claim: DueClaim): Promise<OperationRecord[]> {
    const due = this.within(accounts).flatMap((own) => own.due(claim));
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

function fits(operation: OperationRecord, filter: OperationFilter): boolean {
  const { phoneNumber } = filter;
  return (
    (filter.kind === undefined || operation.kind === filter.kind) &&
    (filter.ids === undefined || filter.ids.includes(operation.id)) &&
    (filter.states === undefined || filter.states.includes(operation.state)) &&
    (filter.inReview === undefined || isInReview(operation)) &&
    (filter.causes === undefined || includes(filter.causes, operation.cause)) &&
    (filter.passed === undefined || operation.besides.length > 0) &&
    (filter.reasons === undefined || includes(filter.reasons, operation.reason)) &&
    (filter.sources === undefined || includes(filter.sources, operation.settledVia)) &&
    (filter.tillNumber === undefined || operation.tills.includes(filter.tillNumber)) &&
    (filter.name === undefined || hasName(operation, filter.name.trim())) &&
    (filter.keyBeginsWith === undefined ||
      beginsWith(operation.idempotencyKey, filter.keyBeginsWith.trim())) &&
    (filter.amountFrom === undefined ||
      Number(operation.amount.value) >= Number(filter.amountFrom)) &&
    (filter.amountTo === undefined || Number(operation.amount.value) <= Number(filter.amountTo)) &&
    (phoneNumber === undefined || payerHashOf(operation) === phoneHash(phoneNumber)) &&
    (filter.idempotencyKey === undefined || operation.idempotencyKey === filter.idempotencyKey) &&
    (filter.platformId === undefined || operation.platformId === filter.platformId) &&
    (filter.reference === undefined || operation.transaction?.reference === filter.reference) &&
    (filter.refundOf === undefined ||
      (isRefund(operation) && operation.reference === filter.refundOf)) &&
    isWithin(operation.createdAt, filter.from, filter.to)
  );
}

function includes<T>(wanted: readonly T[], value: T | null): boolean {
  return value !== null && wanted.includes(value);
}

function beginsWith(text: string, beginning: string): boolean {
  return text.toLowerCase().startsWith(beginning.toLowerCase());
}

/** Whether a customer has a name: one that begins with all of it, or one that begins with its first word and another with the rest. */
function hasName(operation: OperationRecord, name: string): boolean {
  if (!isPayment(operation)) return false;
  const { firstName, lastName } = operation.subscriber;
  const [first, rest] = wordsOf(name);
  return [
    [firstName, lastName],
    [lastName, firstName],
  ].some(
    ([one = '', other = '']) =>
      beginsWith(one, name) || (rest !== '' && beginsWith(one, first) && beginsWith(other, rest)),
  );
}
