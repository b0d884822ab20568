/** Many deliveries, one commit: a function of the schema, see its migration. */
export const STORE_DELIVERIES = `
select account, id from :schema.store_deliveries($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;

/** What came again; what nobody understood before is due again. */
export const COUNT_REDELIVERIES = `select :schema.count_redeliveries($1, $2, $3)`;

/** The first that are due: a function of the schema, see its migration. */
export const CLAIM_DELIVERIES = `
select account, id, encode(key, 'hex') as key, kind, resource, resource_id, verified_by, body, 'pending' as state,
  redeliveries, attempts, token, place, last_error, extract(epoch from received_at) * 1000 as received_at,
  extract(epoch from :schema.clock() - received_at) * 1000 as age_ms
from :schema.claim_deliveries($1, $2, $3, $4)`;

/** Many acknowledgements, one commit; which of them, by number, are those whose claim still held. */
export const FINISH_DELIVERIES = `select :schema.finish_deliveries($1, $2, $3, $4, $5) as number`;

export const FIND_DELIVERY = `
select delivery.account, delivery.id, encode(key, 'hex') as key, delivery.kind, resource, resource_id, verified_by, body,
  case when queue.id is null then outcome else 'pending' end as state, redeliveries::text,
  coalesce(queue.attempts, delivery.attempts)::text as attempts,
  coalesce(queue.last_error, delivery.last_error) as last_error,
  (extract(epoch from received_at) * 1000)::text as received_at,
  (extract(epoch from :schema.clock() - received_at) * 1000)::text as age_ms
from :schema.delivery delivery
left join :schema.delivery_queue queue on queue.account = delivery.account and queue.id = delivery.id
where delivery.account = $1 and delivery.id = $2`;

/** Back into the queue, unless it is there. Locked, so that no purge takes it away meanwhile. */
export const REPLAY_DELIVERY = `
insert into :schema.delivery_queue (account, id, kind, due_at)
select account, id, kind, :schema.clock() from (
  select account, id, kind from :schema.delivery where account = $1 and id = $2 for key share) kept
on conflict do nothing returning id`;
