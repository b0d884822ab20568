import type { OperationFilter, OperationState } from '@tillkit/payments/store';
import type { Query } from '../page.query.js';
import { Conditions, cursorOf, type Cursor } from '../query.conditions.js';
import { storableText } from '../storable.js';

/** States of nearly all rows, and of few. The others are those of operations that are not final. */
const FREQUENT: readonly OperationState[] = ['succeeded', 'failed'];
const RARE: readonly OperationState[] = ['partially_succeeded', 'reversed'];

/** Uses index operation_created, operation_watched, operation_rare or operation_phone, or the index of the key that the filter names. */
export function listOperations(
  account: string,
  filter: OperationFilter & { phoneHash?: string },
  limit: number,
  after: Cursor | undefined,
): Query {
  const { kind, states, from, to } = filter;
  const conditions = new Conditions(account)
    .add('kind = ?', kind)
    .add('state = any(?::text[])', states)
    .add("phone_hash = decode(?, 'hex') and not redacted", filter.phoneHash)
    .add('idempotency_key = ?', storable(filter.idempotencyKey))
    .add('platform_id = ?', storable(filter.platformId))
    .add(
      'hashtextextended(reference, 0) = hashtextextended(?, 0) and reference = ?',
      storable(filter.reference),
    )
    .add('raw_created_at >= to_timestamp(?::float8 / 1000)', from?.getTime())
    .add('raw_created_at < to_timestamp(?::float8 / 1000)', to?.getTime())
    .before('raw_created_at', 'id', after);
  // Repeats the condition of the partial index operation_of_kind.
  if (kind !== undefined && kind !== 'payment') conditions.state("kind <> 'payment'");
  // Repeats the condition of a partial index, operation_watched or operation_rare: both are small where most operations are final.
  if (states?.every((state) => RARE.includes(state))) {
    conditions.state("state in ('partially_succeeded', 'reversed')");
  } else if (states && !states.some((state) => [...FREQUENT, ...RARE].includes(state))) {
    conditions.state("state not in ('succeeded', 'partially_succeeded', 'failed', 'reversed')");
  }
  return {
    text: `
select *, (extract(epoch from :schema.clock()) * 1000)::text as now, ${cursorOf('raw_created_at', 'id')}
from :schema.operation_row
where ${conditions.where}
order by raw_created_at desc, id desc limit ${limit}`,
    values: conditions.values,
  };
}

function storable(text: string | undefined): string | undefined {
  return text === undefined ? undefined : storableText(text);
}
