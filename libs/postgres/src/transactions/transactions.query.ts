import type { TransactionFilter } from '@tillkit/payments/store';
import type { Query } from '../page.query.js';
import { Conditions, cursorOf, type Cursor } from '../query.conditions.js';
import { hashOf } from '../storable.js';

/** Uses index transaction_origin, or the primary key if the filter has a reference. */
export function listTransactions(
  account: string,
  { reference, from, to }: TransactionFilter,
  limit: number,
  after: Cursor | undefined,
): Query {
  const time = 'coalesce(originated_at, created_at)';
  // The hash of the reference makes the order unique: the reference itself may be too long for a cursor.
  const conditions = new Conditions(account)
    .add(
      "reference_hash = decode(?, 'hex')",
      reference === undefined ? undefined : hashOf(reference),
    )
    .add(`${time} >= to_timestamp(?::float8 / 1000)`, from?.getTime())
    .add(`${time} < to_timestamp(?::float8 / 1000)`, to?.getTime())
    .before(time, "encode(reference_hash, 'hex')", after);
  if (from ?? to) conditions.state('originated_at is not null');
  return {
    text: `
select account, reference, version, sums, marks, extract(epoch from created_at) * 1000 as created_at,
  ${cursorOf(time, "encode(reference_hash, 'hex')")}
from :schema.transaction
where ${conditions.where}
order by ${time} desc, reference_hash desc limit ${limit}`,
    values: conditions.values,
  };
}
