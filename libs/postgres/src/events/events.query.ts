import type { DeadLetterFilter } from '@tillkit/payments/internal/store';
import type { Query } from '../page.query.js';
import { Conditions, cursorOf, type Cursor } from '../query-conditions.js';
import { storableText } from '../storable.js';

/** Uses index event_age. */
export function recentEvents(account: string, limit: number, after: Cursor | undefined): Query {
  const conditions = Conditions.ofAccount(account)
    .state('redacted = false')
    .before('created_at', 'id', after);
  return {
    text: `
select id, name, stream, via, (extract(epoch from created_at) * 1000) as at, ${cursorOf('created_at', 'id')}
from :schema.event
where ${conditions.where}
order by created_at desc, id desc limit ${limit}`,
    values: conditions.values,
  };
}

/**
 * Uses index queue_due. The letters of one listener are searched among all letters of the account, which are few in a shop that repairs its
 * listeners.
 */
export function listDeadLetters(
  account: string,
  { listener, from, to }: DeadLetterFilter,
  limit: number,
  after: Cursor | undefined,
): Query {
  const conditions = Conditions.ofAccount(`dead ${account}`, 'queue.lane')
    .add('listener = ?', listener && storableText(listener))
    .add('due_at >= to_timestamp(?::float8 / 1000)', from?.getTime())
    .add('due_at < to_timestamp(?::float8 / 1000)', to?.getTime());
  if (after) addAfter(conditions, after);
  return {
    text: `
select queue.place as id, item as event_id, event.name as event, event.stream, listener, attempts, last_error,
  extract(epoch from event.created_at) * 1000 as at,
  extract(epoch from due_at) * 1000 as ended_at, ${cursorOf('due_at', 'queue.place')}
from :schema.queue
join :schema.event on event.account = queue.account and event.id = queue.item
where ${conditions.where}
order by queue.due_at, queue.place limit ${limit}`,
    values: conditions.values,
  };
}

/** Keyset pagination, oldest first. */
function addAfter(conditions: Conditions, { microseconds, name }: Cursor): void {
  if (!isCallId(name)) {
    conditions.state('false');
    return;
  }
  const time = `timestamptz 'epoch' + ${conditions.value(microseconds)}::bigint * interval '1 microsecond'`;
  conditions.state(`(queue.due_at, queue.place) > (${time}, ${conditions.value(name)}::bigint)`);
}

/** The id of a call is a `bigint`. No call has any other text as id. */
export function isCallId(id: string): boolean {
  return /^\d{1,18}$/.test(id);
}
