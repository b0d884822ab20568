import { Injectable } from '@nestjs/common';
import { AccountRegistry } from '../accounts/account-registry.js';
import {
  type ArrivingDelivery,
  type Observation,
  type ObservedTransaction,
  TransactionObserver,
} from '../ledger/arriving-delivery.js';
import { LedgerCommits } from '../ledger/ledger-commits.js';
import { MAX_ATTEMPTS } from '../ledger/ledger.js';
import { OperationKinds } from '../ledger/operation.kind.js';
import { TransactionDifferences } from '../ledger/transaction-differences.js';
import { isOwnTill, joinedTills } from '../money/till-number.js';
import { minorOf, moneyKey, type MoneyKey, sumOf, sumsAt } from '../money/transaction-sameness.js';
import {
  operationIdOf,
  type Transaction,
  type TransactionRecord,
  type TransactionSum,
} from '../money/transaction.js';
import { AccountsStore } from '../store/accounts.store.js';
import type { Operation } from '../store/operation.js';
import { OperationsStore } from '../store/operations.store.js';
import { TransactionsStore } from '../store/transactions.store.js';
import { observedChange } from './observed-changes.js';

/** The tills whose money an account keeps and shows. */
@Injectable()
export class OwnTills {
  constructor(
    private readonly accounts: AccountRegistry,
    private readonly store: AccountsStore,
  ) {}

  /** True when an account keeps the money of a till. The till of a removed account may be that of another one by now. */
  async has(account: string, tillNumber: string | null): Promise<boolean> {
    const settings = this.accounts.settings(account);
    if (!isOwnTill(settings, tillNumber)) return false;
    if (!settings.isRemoved || tillNumber === null) return true;
    const numbers = joinedTills(tillNumber, settings.tillAliases);
    return !(await this.store.isClaimedByAnother(account, numbers));
  }
}

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
    private readonly accounts: AccountRegistry,
  ) {
    super();
  }

  /** @param first the record that the caller has just read, null for none; undefined: the ledger reads it */
  async observe(
    observed: ObservedTransaction,
    first?: TransactionRecord | null,
  ): Promise<Observation> {
    const { account, transaction, reversal: isReversal } = observed;
    const { tillAliases } = this.accounts.settings(account);
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
      const owner = await this.ownerOf(account, record, key);
      if (attempt === 0) {
        const differ = this.differences.found(account, record, key, transaction, isReversal);
        await this.differences.record(account, key, differ);
        await this.differences.recordNamed(account, record, key, owner, transaction);
      }
      const other = owner ? null : await this.ownerElsewhere(account, record, key);
      const owners = { owner, other };
      const change = observedChange(key, record, owners, shown, tillAliases, this.kinds);
      if (!change) return 'known';
      const outcome = { kind: 'done', isDeleted: record?.redacted ?? false } as const;
      const finishes = observed.finishes && { claim: observed.finishes, outcome };
      if (await this.commits.commit({ ...change, ...(finishes && { finishes }) }))
        return 'committed';
    }
    throw new Error(`transaction ${key.reference} changes faster than it can be written`);
  }

  /**
   * Commits the transaction of a delivery together with the delivery. The owner of the money changes nothing here, so it is not read.
   * @param record as this process knows it
   */
  async observeAtOnce(
    observed: ObservedTransaction,
    record: TransactionRecord,
    key: MoneyKey,
    arriving: ArrivingDelivery,
  ): Promise<void> {
    const { account, transaction } = observed;
    const { tillAliases } = this.accounts.settings(account);
    const announce = observed.announce && (await this.announces(account, key, transaction));
    // Only its one commit may write.
    if (this.differences.found(account, record, key, transaction, false).length > 0) return;
    const nobody = { owner: null, other: null };
    const shown = { ...observed, announce };
    const change = observedChange(key, record, nobody, shown, tillAliases, this.kinds);
    // The commit must compare the record.
    if (change?.transaction) await arriving.commit(change);
  }

  private async ownerOf(
    account: string,
    record: TransactionRecord | null,
    key: MoneyKey,
  ): Promise<Operation | null> {
    const sums = sumsAt(record, [key.till], this.accounts.settings(account).tillAliases);
    return this.firstOwner(account, sums);
  }

  /** Returns the operation whose money has the same reference at another till, if this till is new. */
  private async ownerElsewhere(
    account: string,
    record: TransactionRecord | null,
    key: MoneyKey,
  ): Promise<Operation | null> {
    const isKnown = sumOf(record, key, this.accounts.settings(account).tillAliases) !== null;
    return isKnown ? null : this.firstOwner(account, record?.sums ?? []);
  }

  private async firstOwner(
    account: string,
    sums: readonly TransactionSum[],
  ): Promise<Operation | null> {
    const id = sums.map(operationIdOf).find((owner) => owner !== null);
    return id ? this.operations.find(account, id) : null;
  }

  /** True when a transaction emits an event: not with an unreadable amount, and not at a till of another account. */
  private async announces(
    account: string,
    { till }: MoneyKey,
    transaction: Transaction,
  ): Promise<boolean> {
    return minorOf(transaction) !== null && (await this.ownTills.has(account, till));
  }
}
