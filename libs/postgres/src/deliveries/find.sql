-- Indexes delivery_pkey and queue_line.
select delivery.account, delivery.id, encode(key, 'hex') as key, delivery.kind, resource, resource_id, verified_by,
  encode(body, 'hex') as body, traceparent,
  case when queue.place is null then outcome else 'pending' end as state, duplicates,
  coalesce(queue.attempts, delivery.attempts) as attempts,
  coalesce(queue.last_error, delivery.last_error) as last_error,
  extract(epoch from received_at) * 1000 as received_at,
  extract(epoch from :schema.clock() - received_at) * 1000 as age_ms
from :schema.delivery
left join :schema.queue on queue.line = hashtextextended(delivery.account || ' ' || delivery.id, 0) and queue.item = delivery.id
where delivery.account = $1 and delivery.id = $2
