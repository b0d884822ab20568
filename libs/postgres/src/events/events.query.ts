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

/** Uses index call_dead. One that is asked for by its listener is looked for among all: they are few in a shop that repairs its listeners. */
export function listDeadLetters(
  account: string,
  { listener, from, to }: DeadLetterFilter,
  limit: number,
  after: Cursor | undefined,
): Query {
  const conditions = Conditions.ofAccount(account, 'call.account')
    .state("call.state = 'dead'")
    .add('listener = ?', listener && storableText(listener))
    .add('ended_at >= to_timestamp(?::float8 / 1000)', from?.getTime())
    .add('ended_at < to_timestamp(?::float8 / 1000)', to?.getTime());
  if (after) addAfter(conditions, after);
  return {
    text: `
select call.id, event_id, event.name as event, event.stream, listener, attempts, last_error,
  extract(epoch from event.created_at) * 1000 as at,
  extract(epoch from ended_at) * 1000 as ended_at, ${cursorOf('ended_at', 'call.id')}
from :schema.call
join :schema.event on event.account = call.account and event.id = call.event_id
where ${conditions.where}
order by call.ended_at, call.id limit ${limit}`,
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
  conditions.state(`(call.ended_at, call.id) > (${time}, ${conditions.value(name)}::bigint)`);
}

/** The id of a call is a `bigint`. No call has any other text as id. */
export function isCallId(id: string): boolean {
  return /^\d{1,18}$/.test(id);
}
