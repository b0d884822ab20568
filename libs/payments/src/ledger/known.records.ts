import { Injectable } from '@nestjs/common';
import type { TransactionRecord } from '../transactions/transaction.record.js';
import type { LedgerChange } from './ledger.store.js';
import { isOpen } from './operation.states.js';
import type { Operation, OperationKey } from './operation.js';

/** Limit of each kind of records. The oldest are forgotten. */
const MOST_KNOWN = 2_000;

/**
 * The operations and transactions that this process wrote last, as it wrote them. Another process may have changed them since. So a
 * decision on them counts only if it is committed: the commit compares versions. "Nothing to do" is no commit, and needs a read.
 */
@Injectable()
export class KnownRecords<O extends Operation = Operation> {
  private readonly operations = new Map<string, O>();
  private readonly open = new Map<string, O>();
  private readonly idsByPlatformId = new Map<string, string>();
  private readonly transactions = new Map<string, TransactionRecord>();
  /** Who waits for a change of an operation. */
  private readonly waiting = new Map<string, (() => void)[]>();
  /** Commits that are under way, by the records that they change. */
  private readonly commits = new Map<string, Promise<unknown>>();

  operation(account: string, id: string): O | null {
    return this.operations.get(nameOf(account, id)) ?? null;
  }

  operationWithPlatformId(account: string, kind: string, platformId: string): O | null {
    const id = this.idsByPlatformId.get(nameOf(account, kind, platformId));
    return id === undefined ? null : this.operation(account, id);
  }

  /** The operations of an account that were open when this process wrote them. */
  *openOperations(account: string): Iterable<O> {
    for (const operation of this.open.values()) if (operation.account === account) yield operation;
  }

  transaction(account: string, reference: string): TransactionRecord | null {
    return this.transactions.get(nameOf(account, reference)) ?? null;
  }

  /** Resolves when the commit that changes an operation now has ended; null when there is none. */
  changingOperation(account: string, id: string): Promise<unknown> | null {
    return this.commits.get(nameOf('operation', account, id)) ?? null;
  }

  /** Resolves when the commit that changes a transaction now has ended; null when there is none. */
  changingTransaction(account: string, reference: string): Promise<unknown> | null {
    return this.commits.get(nameOf('transaction', account, reference)) ?? null;
  }

  /** Calls back once, when this process has written the operation again. The result cancels that. */
  afterChange({ account, id }: OperationKey, changed: () => void): () => void {
    const name = nameOf(account, id);
    this.waiting.set(name, [...(this.waiting.get(name) ?? []), changed]);
    return () => {
      const others = this.waiting.get(name)?.filter((other) => other !== changed) ?? [];
      if (others.length > 0) this.waiting.set(name, others);
      else this.waiting.delete(name);
    };
  }

  /** Keeps an operation as this process wrote it. */
  keep(operation: O): void {
    const { account, id, kind, platformId } = operation;
    const name = nameOf(account, id);
    put(this.operations, name, operation);
    if (isOpen(operation.state)) put(this.open, name, operation);
    else this.open.delete(name);
    if (platformId !== null) put(this.idsByPlatformId, nameOf(account, kind, platformId), id);
    const waiting = this.waiting.get(name) ?? [];
    this.waiting.delete(name);
    for (const changed of waiting) changed();
  }

  /** Keeps the transaction that a commit wrote. */
  keepTransaction({ account, transaction }: LedgerChange, at: Date): void {
    if (!transaction) return;
    const { reference, version, sums } = transaction;
    const createdAt = this.transaction(account, reference)?.createdAt ?? at;
    const record = { account, reference, version: (version ?? 0) + 1, sums, createdAt };
    put(this.transactions, nameOf(account, reference), record);
  }

  /** Forgets the records of a change that was refused: another process has changed them. */
  forget({ account, operation, transaction }: LedgerChange): void {
    if (operation) {
      this.operations.delete(nameOf(account, operation.id));
      this.open.delete(nameOf(account, operation.id));
    }
    if (transaction) this.transactions.delete(nameOf(account, transaction.reference));
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

function put<T>(records: Map<string, T>, name: string, record: T): void {
  records.delete(name);
  records.set(name, record);
  if (records.size <= MOST_KNOWN) return;
  const [oldest] = records.keys();
  records.delete(oldest as string);
}

function nameOf(...parts: readonly string[]): string {
  return parts.join('\n');
}
