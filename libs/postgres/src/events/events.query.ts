import type { Query } from '../page.query.js';
import { Conditions, cursorOf, type Cursor } from '../query.conditions.js';

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
