-- What waits now. Each count reads a queue or a partial index, and both are small.
select
  (select count(*) from :schema.delivery_queue where account = $1) as deliveries,
  (select extract(epoch from :schema.clock() - min(delivery.received_at)) * 1000
   from :schema.delivery_queue queue
   join :schema.delivery on delivery.id = queue.id and delivery.account = queue.account
   where queue.account = $1) as oldest_delivery_ms,
  (select count(*) from :schema.call where account = $1 and state = 'pending') as calls,
  (select extract(epoch from :schema.clock() - min(event.created_at)) * 1000
   from :schema.call
   join :schema.event on event.id = call.event_id and event.account = call.account
   where call.account = $1 and call.state = 'pending') as oldest_call_ms,
  (select count(*) from :schema.call where account = $1 and state = 'dead') as dead_letters,
  (select count(*) from :schema.delivery where account = $1 and outcome = 'unrecognised' and not exists (
     select from :schema.delivery_queue queue where queue.id = delivery.id and queue.account = delivery.account))
    as unrecognised,
  (select count(*) from :schema.operation_queue join :schema.operation using (id, account)
   where followed = false and account = $1 and kind = 'payment' and state in ('requested', 'pending', 'unknown'))
    as open_payments
