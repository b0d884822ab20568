import type { TransactionRecord, TransactionSum } from '@tillkit/payments/internal/store';

/** One transaction for the pages. The same reference at two tills is two transactions. */
export interface TillTransaction extends TransactionSum {
  reference: string;
  /** Its index among the transactions with the same reference. */
  index: number;
  createdAt: Date;
  /** The number of its till in the platform's first delivery about it. */
  till: string;
}

export function transactionsIn({
  reference,
  createdAt,
  sums,
}: TransactionRecord): TillTransaction[] {
  return sums.map((sum, index) => ({
    ...sum,
    reference,
    index,
    createdAt,
    till: sum.tills[0] ?? '',
  }));
}
