import type { PaymentsAccount } from '@tillkit/payments';
import { transactionOfStream, type OperationRecord } from '@tillkit/payments/internal/store';
import { transactionsIn, type TillTransaction } from '../transactions/till-transaction.dto.js';

/** The operations and transactions that events or anomalies are about, if they are stored. */
export class Subjects {
  private constructor(
    private readonly operations: ReadonlyMap<string, OperationRecord>,
    private readonly transactions: ReadonlyMap<string, readonly TillTransaction[]>,
  ) {}

  /** Reads the subjects of a whole list with at most two statements. */
  static async read(
    { store, name }: PaymentsAccount,
    ids: readonly string[],
    references: readonly string[],
  ): Promise<Subjects> {
    const [operations, records] = await Promise.all([
      ids.length > 0
        ? store.operations.findMany(name, [...new Set(ids)])
        : new Map<string, never>(),
      references.length > 0
        ? store.transactions.findMany(name, [...new Set(references)])
        : new Map<string, never>(),
    ]);
    return new Subjects(
      operations as ReadonlyMap<string, OperationRecord>,
      new Map([...records].map(([reference, record]) => [reference, transactionsIn(record)])),
    );
  }

  /** Returns the subjects of the streams of events. */
  static ofStreams(account: PaymentsAccount, streams: readonly string[]): Promise<Subjects> {
    const money = streams.flatMap((stream) => transactionOfStream(stream)?.reference ?? []);
    const ids = streams.filter((stream) => transactionOfStream(stream) === null);
    return Subjects.read(account, ids, money);
  }

  operation(id: string): OperationRecord | null {
    return this.operations.get(id) ?? null;
  }

  /** Returns the first transaction with a reference. */
  transaction(reference: string, index = 0): TillTransaction | null {
    return this.transactions.get(reference)?.[index] ?? null;
  }

  transactionOfStream(stream: string): TillTransaction | null {
    const named = transactionOfStream(stream);
    return named && this.transaction(named.reference, named.index);
  }
}
