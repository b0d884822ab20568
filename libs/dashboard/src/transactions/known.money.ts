import type { TransactionRecord, TransactionSum } from '@tillkit/payments/store';

/** One sum of money as the pages show it: a reference that was seen at two tills is two of them. */
export interface KnownMoney extends TransactionSum {
  reference: string;
  /** Which of the sums under its reference it is. */
  index: number;
  createdAt: Date;
  /** The number of its till, as it was first seen. */
  till: string;
}

export function moneyIn({ reference, createdAt, sums }: TransactionRecord): KnownMoney[] {
  return sums.map((sum, index) => ({
    ...sum,
    reference,
    index,
    createdAt,
    till: sum.tills[0] ?? '',
  }));
}
