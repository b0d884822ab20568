import { Injectable } from '@nestjs/common';
import { MAX_ATTEMPTS } from '../ledger/ledger.js';
import { LedgerCommits } from '../ledger/ledger-commits.js';
import type { Operation } from '../store/operation.js';
import { OperationKinds } from '../ledger/operation.kind.js';
import { OperationsStore } from '../store/operations.store.js';
import { KnownAccounts } from '../work/known-accounts.js';
import type { Transaction } from '../money/transaction.js';
import {
  TransactionObserver,
  type Observation,
  type ObservedTransaction,
} from '../ledger/observed-transaction.js';
import { minorOf } from '../money/transaction-reports.js';
import { TransactionDifferences } from '../ledger/transaction-differences.js';
import {
  operationIdOf,
  type TransactionRecord,
  type TransactionSum,
} from '../money/transaction.record.js';
import { moneyKey, sumOf, sumsAt, type MoneyKey } from '../money/transaction-sameness.js';
import { TransactionsStore } from '../store/transactions.store.js';
import { observedChange } from './observed-changes.js';
import { OwnTills } from './own-tills.js';

/** Commits observed transactions with their events. Of an operation it only commits a reversal. */
@Injectable()
export class TillLedger extends TransactionObserver {
  constructor(
    private readonly operations: OperationsStore,
    private readonly transactions: TransactionsStore,
    private readonly commits: LedgerCommits,
    private readonly kinds: OperationKinds,
    private readonly differences: TransactionDifferences,
    private readonly ownTills: OwnTills,
    private readonly accounts: KnownAccounts,
  ) {
    super();
  }

  /** @param first the record that the caller has just read, null for none; undefined: the ledger reads it */
  async observe(
    observed: ObservedTransaction,
    first?: TransactionRecord | null,
  ): Promise<Observation> {
    const { account, transaction, reversal: isReversal, arriving } = observed;
    const { tillAliases } = this.accounts.of(account);
    const key = moneyKey(transaction);
    if (!key) return 'unnamed';
    const shown = {
      ...observed,
      announce: observed.announce && (await this.announces(account, key, transaction)),
    };
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const record =
        attempt === 0 && first !== undefined
          ? first
          : await this.transactions.find(account, key.reference);
      if (attempt === 0)
        await this.differences.record(account, record, key, transaction, { isReversal, arriving });
      // What arrives comes here only where its owner does not matter.
      const owner = arriving ? null : await this.ownerOf(account, record, key);
      if (attempt === 0)
        await this.differences.recordNamed(account, record, key, owner, transaction);
      const other = arriving || owner ? null : await this.ownerElsewhere(account, record, key);
      const owners = { owner, other };
      const change = observedChange(key, record, owners, shown, tillAliases, this.kinds);
      if (!change) return 'known';
      if (arriving) {
        await arriving.commit({ change }, true);
        return 'committed';
      }
      const outcome = { kind: 'done', isErased: record?.redacted ?? false } as const;
      const finishes = observed.finishes && { claim: observed.finishes, outcome };
      if (await this.commits.commit({ change: { ...change, ...(finishes && { finishes }) } }))
        return 'committed';
    }
    throw new Error(`transaction ${key.reference} changes faster than it can be written`);
  }

  private async ownerOf(
    account: string,
    record: TransactionRecord | null,
    key: MoneyKey,
  ): Promise<Operation | null> {
    const sums = sumsAt(record, [key.till], this.accounts.of(account).tillAliases);
    return this.firstOwner(account, sums);
  }

  /** The operation whose money has the same reference at another till, if this till is new. */
  private async ownerElsewhere(
    account: string,
    record: TransactionRecord | null,
    key: MoneyKey,
  ): Promise<Operation | null> {
    const isKnown = sumOf(record, key, this.accounts.of(account).tillAliases) !== null;
    return isKnown ? null : this.firstOwner(account, record?.sums ?? []);
  }

  private async firstOwner(
    account: string,
    sums: readonly TransactionSum[],
  ): Promise<Operation | null> {
    const id = sums.map(operationIdOf).find((owner) => owner !== null);
    return id ? this.operations.find(account, id) : null;
  }

  /** Whether a transaction emits an event: not with an unreadable amount, and not at a till of another account. */
  private async announces(
    account: string,
    { till }: MoneyKey,
    transaction: Transaction,
  ): Promise<boolean> {
    return minorOf(transaction) !== null && (await this.ownTills.has(account, till));
  }
}
