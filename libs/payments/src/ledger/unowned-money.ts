import { ownerIdOf, type TransactionRecord } from '../money/transaction.record.js';
import type { UntiedQuery } from '../store/transactions.store.js';

/**
 * Of the records that `findUntied` found, the money whose payer is the one of the query, that came to one of some tills, and that belongs to
 * nobody. It is named by its reference and the number of its till.
 */
export function unownedAmong(
  records: readonly TransactionRecord[],
  { payerHash, amountMinor }: Pick<UntiedQuery, 'payerHash' | 'amountMinor'>,
  isAtTill: (till: string) => boolean,
): { reference: string; till: string }[] {
  return records.flatMap(({ reference, sums }) =>
    sums.flatMap((sum) => {
      const isLike =
        sum.received !== null &&
        ownerIdOf(sum) === null &&
        sum.payerHash === payerHash &&
        sum.amountMinor === amountMinor;
      const till = isLike ? sum.tills.find(isAtTill) : undefined;
      return till === undefined ? [] : [{ reference, till }];
    }),
  );
}
