-- The work of one account that waits now. Each count reads a queue or a partial index, and both are small.
select
  (select count(*) from :schema.queue where lane = any ('{callback,webhook}') and account = $1) as deliveries,
  (select extract(epoch from :schema.clock() - min(delivery.received_at)) * 1000
   from :schema.queue
   join :schema.delivery on delivery.id = queue.item and delivery.account = queue.account
   where lane = any ('{callback,webhook}') and queue.account = $1) as oldest_delivery_ms,
  (select count(*) from :schema.queue where lane > 'call ' || $1 || ' ' and lane < 'call ' || $1 || '!') as calls,
  (select extract(epoch from :schema.clock() - min(event.created_at)) * 1000
   from :schema.queue
   join :schema.event on event.id = queue.item and event.account = queue.account
   where lane > 'call ' || $1 || ' ' and lane < 'call ' || $1 || '!') as oldest_call_ms,
  (select count(*) from :schema.queue where lane = 'dead ' || $1) as dead_letters,
  (select count(*) from :schema.delivery where account = $1 and outcome = 'unrecognised' and not exists (
     select from :schema.queue where queue.line = hashtextextended(delivery.account || ' ' || delivery.id, 0) and queue.item = delivery.id))
    as unrecognised,
  (select count(*) from :schema.operation_queue join :schema.operation using (id, account)
   where followed = false and account = $1 and kind = 'payment' and state in ('requested', 'pending', 'unknown'))
    as open_payments,
  (select count(*) from :schema.operation_queue where listed_as = 'in_review' and account = $1) as in_review,
  (select extract(epoch from :schema.clock() - min(created_at)) * 1000
   from :schema.operation_queue join :schema.operation using (id, account)
   where listed_as = 'in_review' and account = $1) as oldest_in_review_ms,
  (select count(*) from :schema.operation
   where besides is not null and created_at > :schema.clock() - interval '24 hours' and account || '' = $1) as passed_guard
