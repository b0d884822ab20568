import type { DeliveryFilter } from '@tillkit/payments/internal/store';
import type { Query } from '../page.query.js';
import { Conditions, cursorOf, type Cursor } from '../query-conditions.js';
import { storableText } from '../storable.js';

/** With `is null` the planner expects nearly no row, and reads all. */
const NOT_WAITING = 'coalesce(queue.place, 0) < 1';

const DELIVERY_STATES = {
  pending: 'queue.place is not null',
  done: `${NOT_WAITING} and outcome = 'done'`,
  unrecognised: `${NOT_WAITING} and outcome = 'unrecognised'`,
} as const;

const OF_DELIVERY = `queue.line = hashtextextended(delivery.account || ' ' || delivery.id, 0) and queue.item = delivery.id`;

/**
 * Few deliveries wait, so a list of them begins with the queue. A list of others looks up each one: another join would read the whole
 * queue, with all dead letters.
 */
const WAITING = `join :schema.queue on queue.lane = any ('{callback,webhook}') and ${OF_DELIVERY}`;
const EACH = `left join lateral (select * from :schema.queue where ${OF_DELIVERY} limit 1) queue on true`;

/** Uses index delivery_of_account, delivery_unrecognised, delivery_resource or delivery_pkey, or the queue for pending deliveries. */
export function listDeliveries(
  account: string,
  { state, resourceId, ids, from, to }: DeliveryFilter,
  limit: number,
  after: Cursor | undefined,
): Query {
  const conditions = Conditions.ofAccount(account, 'delivery.account').before(
    'delivery.received_at',
    'delivery.id',
    after,
  );
  conditions
    .add('resource_id = ?', resourceId && storableText(resourceId))
    .add('delivery.id = any(?::text[])', ids?.map(storableText))
    .add('delivery.received_at >= to_timestamp(?::float8 / 1000)', from?.getTime())
    .add('delivery.received_at < to_timestamp(?::float8 / 1000)', to?.getTime());
  if (state) conditions.state(DELIVERY_STATES[state]);
  return {
    text: `
select delivery.account, delivery.id, encode(key, 'hex') as key, delivery.kind, resource, resource_id, verified_by, traceparent,
  octet_length(body) as bytes, case when queue.place is null then outcome else 'pending' end as state, duplicates,
  coalesce(queue.attempts, delivery.attempts) as attempts, coalesce(queue.last_error, delivery.last_error) as last_error,
  (extract(epoch from received_at) * 1000) as received_at,
  (extract(epoch from :schema.clock() - received_at) * 1000) as age_ms, ${cursorOf('delivery.received_at', 'delivery.id')}
from :schema.delivery delivery
${state === 'pending' ? WAITING : EACH}
where ${conditions.where}
order by delivery.received_at desc, delivery.id desc limit ${limit}`,
    values: conditions.values,
  };
}
