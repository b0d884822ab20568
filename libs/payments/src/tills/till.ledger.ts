import { Injectable } from '@nestjs/common';
import { AnomaliesStore } from '../store/anomalies.store.js';
import { ANOMALY } from '../store/anomaly.kinds.js';
import { BareRequestsStore } from '../store/bare-requests.store.js';
import { MAX_ATTEMPTS } from '../ledger/ledger.js';
import { KnownRecords } from '../ledger/known.records.js';
import { LedgerCommits } from '../ledger/ledger.commits.js';
import type { LedgerChange } from '../store/ledger.store.js';
import type { NewEvent } from '../store/new-event.js';
import type { Operation } from '../store/operation.js';
import { OperationKinds } from '../ledger/operation.kind.js';
import { OperationsStore } from '../store/operations.store.js';
import { KnownAccounts } from '../work/known.accounts.js';
import type { Transaction } from '../money/transaction.js';
import {
  TransactionObserver,
  type Observation,
  type ObservedTransaction,
} from '../ledger/observed-transaction.js';
import { bareTieChange, minorOf } from '../ledger/transaction.changes.js';
import { TransactionDifferences } from '../ledger/transaction.differences.js';
import {
  operationIdOf,
  ownerIdOf,
  type TransactionRecord,
} from '../money/transaction.record.js';
import { moneyKey, sumOf, sumsAt, type MoneyKey } from '../money/transaction.sameness.js';
import { TransactionsStore } from '../store/transactions.store.js';
import { isOwnTill } from '../money/till-number.js';
import { observedChange } from './observed.changes.js';
import { OwnTills } from './own.tills.js';

/** Commits observed transactions and results of bare requests with their events. Of an operation it only commits a reversal. */
@Injectable()
export class TillLedger extends TransactionObserver {
  constructor(
    private readonly operations: OperationsStore,
    private readonly transactions: TransactionsStore,
    private readonly bareRequests: BareRequestsStore,
    private readonly commits: LedgerCommits,
    private readonly known: KnownRecords,
    private readonly anomalies: AnomaliesStore,
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
    const { account, transaction } = observed;
    const { tillAliases } = this.accounts.of(account);
    const key = moneyKey(transaction);
    if (!key) return 'unnamed';
    const finishes =
      observed.finishes && ({ claim: observed.finishes, outcome: { kind: 'done' } } as const);
    const shown = {
      ...observed,
      announce: observed.announce && (await this.announces(account, key, transaction)),
    };
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const known =
        attempt === 0 && first !== undefined
          ? first
          : await this.transactions.find(account, key.reference);
      if (attempt === 0)
        await this.differences.record(account, known, key, transaction, observed.reversal);
      const owner = await this.ownerOf(account, known, key);
      if (attempt === 0)
        await this.differences.recordNamed(account, known, key, owner, transaction);
      const change = observedChange(key, known, owner, shown, tillAliases, this.kinds);
      if (!change) return 'known';
      if (await this.commits.commit({ change: { ...change, ...(finishes && { finishes }) } }))
        return 'committed';
    }
    throw new Error(`transaction ${key.reference} changes faster than it can be written`);
  }

  /**
   * What an observed transaction changes, if nothing has to be read for it: this process knows its record, and it belongs to somebody.
   * Null otherwise, and when it says nothing new.
   */
  promptChange(observed: ObservedTransaction): LedgerChange | null {
    const { account, transaction, reversal } = observed;
    const { tillAliases, isRemoved } = this.accounts.of(account);
    // Only the store knows who has the till of a removed account by now.
    if (isRemoved) return null;
    const key = moneyKey(transaction);
    const known = key && this.known.transaction(account, key.reference);
    const sum = key && sumOf(known, key, tillAliases);
    // The state of the operation matters only after a reversal, and its amount only if a person named the transaction.
    if (reversal || !key || !sum?.received || sum.reversal || ownerIdOf(sum) === null) return null;
    if (this.differences.of(account, known, key, transaction).length > 0) return null;
    const isOwn = isOwnTill(this.accounts.of(account), key.till);
    const shown = { ...observed, announce: isOwn && minorOf(transaction) !== null };
    return observedChange(key, known, null, shown, tillAliases, this.kinds);
  }

  /**
   * Commits the result of a bare request, and ties its transaction to the request, so that no operation gets it.
   * @param bareId the id in the request's callback URL
   */
  async applyBareResult(
    event: NewEvent,
    bareId: string,
    transaction: Transaction | null,
  ): Promise<void> {
    const { account } = event.payload;
    const { tillAliases } = this.accounts.of(account);
    const key = transaction && moneyKey(transaction);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const known = key && (await this.transactions.find(account, key.reference));
      const tie = key && bareTieChange(bareId, transaction, key, known, tillAliases);
      if (key && !tie && attempt === 0)
        await this.anomalies.record(account, ANOMALY.ofTwoRequests, key.reference);
      const change = { account, events: [event], history: [], ...(tie && { transaction: tie }) };
      if (await this.commits.commit({ change })) {
        if (tie) await this.ownsNoOther(account, bareId);
        return;
      }
    }
    throw new Error(`transaction ${key?.reference} changes faster than it can be written`);
  }

  /** A bare request whose transaction is known can own no other, so it is no rival of operations any more. */
  private async ownsNoOther(account: string, bareId: string): Promise<void> {
    const request = await this.bareRequests.find(account, 'incoming-payments', bareId);
    if (request?.money) await this.bareRequests.keep(account, { ...request, money: null });
  }

  private async ownerOf(
    account: string,
    known: TransactionRecord | null,
    key: MoneyKey,
  ): Promise<Operation | null> {
    const sums = sumsAt(known, [key.till], this.accounts.of(account).tillAliases);
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
