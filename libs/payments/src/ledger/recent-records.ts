import { Injectable } from '@nestjs/common';
import { Recent } from '../runtime/recent.js';
import { Runtime } from '../runtime/clock.js';
import type { TransactionChange, TransactionRecord } from '../money/transaction.js';
import type { LedgerChange } from '../store/ledger.store.js';
import { isOpen } from './operation-states.js';
import type { Operation } from '../store/operation.js';
import { OperationKinds } from './operation.kind.js';

/** Money that an operation waits for. */
export interface ExpectedMoney {
  account: string;
  currency: string;
  amountMinor: string;
  payerHash: string;
}

/**
 * The operations and transactions that this process wrote last, as it wrote them. Another process may have changed them since. So a
 * decision on them counts only if it is committed: the commit compares versions. Without a commit nobody checks that our copy is current,
 * so "nothing to do" needs a read.
 */
@Injectable()
export class RecentRecords<O extends Operation = Operation> {
  private readonly operations: Recent<O>;
  /** Ids of operations, by the money that they expected when they were open. */
  private readonly open: Recent<readonly string[]>;
  private readonly idsByPlatformId: Recent<string>;
  private readonly transactions: Recent<TransactionRecord>;
  /** Commits that are under way, by the records that they change. */
  private readonly commits = new Map<string, Promise<unknown>>();

  constructor(
    runtime: Runtime,
    private readonly kinds: OperationKinds,
  ) {
    this.operations = new Recent(runtime, ({ account }) => account);
    this.open = new Recent(runtime);
    this.idsByPlatformId = new Recent(runtime);
    this.transactions = new Recent(runtime, ({ account }) => account);
  }

  operation(account: string, id: string): O | null {
    return this.operations.get(nameOf(account, id));
  }

  operationWithPlatformId(account: string, kind: string, platformId: string): O | null {
    const id = this.idsByPlatformId.get(nameOf(account, kind, platformId));
    return id === null ? null : this.operation(account, id);
  }

  /** Returns the operations that this payer pays, and that were open when this process wrote them. */
  openOperations(money: ExpectedMoney): readonly O[] {
    const ids = this.open.get(nameOfMoney(money)) ?? [];
    return ids
      .flatMap((id) => this.operation(money.account, id) ?? [])
      .filter(({ state }) => isOpen(state));
  }

  transaction(account: string, reference: string): TransactionRecord | null {
    return this.transactions.get(nameOf(account, reference));
  }

  /** Resolves when the commit that changes an operation now has ended; null when there is none. */
  changingOperation(account: string, id: string): Promise<unknown> | null {
    return this.commits.get(nameOf('operation', account, id)) ?? null;
  }

  /** Resolves when the commit that changes a transaction now has ended; null when there is none. */
  changingTransaction(account: string, reference: string): Promise<unknown> | null {
    return this.commits.get(nameOf('transaction', account, reference)) ?? null;
  }

  /** Keeps an operation as this process wrote it. */
  keep(operation: O): void {
    const { account, id, kind, platformId } = operation;
    this.operations.put(nameOf(account, id), operation);
    if (isOpen(operation.state)) this.noteMoneyOf(operation);
    if (platformId !== null) this.idsByPlatformId.put(nameOf(account, kind, platformId), id);
  }

  private noteMoneyOf(operation: O): void {
    const { account, id, amountMinor, amount } = operation;
    const payerHash = this.kinds.kind<O>(operation).payerHash(operation);
    if (payerHash === null) return;
    const money = { account, currency: amount.currency, amountMinor, payerHash };
    const others = this.openOperations(money).map((other) => other.id);
    this.open.put(nameOfMoney(money), [...others.filter((other) => other !== id), id]);
  }

  /**
   * Keeps what a commit wrote.
   * @param operation as it is after the commit; if it is absent, an operation that changed is not known any more
   */
  learn(change: LedgerChange, at: Date, operation?: O): void {
    if (change.transaction) this.keepTransaction(change.account, change.transaction, at);
    if (operation) this.keep(operation);
    else this.delete({ ...change, transaction: undefined });
  }

  private keepTransaction(account: string, transaction: TransactionChange, at: Date): void {
    const { reference, version, sums, redacted = false, createdAt = at } = transaction;
    const record = { account, reference, version: (version ?? 0) + 1, sums, createdAt, redacted };
    this.transactions.put(nameOf(account, reference), record);
  }

  /** Deletes the records of a change that was refused: another process has changed them. */
  delete({ account, operation, transaction }: LedgerChange): void {
    if (operation) this.operations.delete(nameOf(account, operation.id));
    if (transaction) this.transactions.delete(nameOf(account, transaction.reference));
  }

  /** Deletes everything: a person was redacted, and what this process remembers may name the person. */
  clear(): void {
    for (const recent of [this.operations, this.open, this.idsByPlatformId, this.transactions])
      recent.clear();
  }

  /** Remembers a commit until it has ended. It must not fail. */
  during({ account, operation, transaction }: LedgerChange, commit: Promise<unknown>): void {
    const names = [
      ...(operation ? [nameOf('operation', account, operation.id)] : []),
      ...(transaction ? [nameOf('transaction', account, transaction.reference)] : []),
    ];
    for (const name of names) this.commits.set(name, commit);
    void commit.then(() => {
      for (const name of names) if (this.commits.get(name) === commit) this.commits.delete(name);
    });
  }
}

function nameOfMoney({ account, currency, amountMinor, payerHash }: ExpectedMoney): string {
  return nameOf(account, currency, amountMinor, payerHash);
}

function nameOf(...parts: readonly string[]): string {
  return parts.join('\n');
}
