-- Counts the work of all accounts that waits. Each part reads a queue or a partial index, and all are small: queue_due, delivery_unrecognised,
-- operation_queue_due, operation_queue_listed, operation_passed. The first of a line has the lowest number, so its age costs one row for each account.
create function :fn.queues()
returns table (account text, queue text, count bigint, oldest_ms float8)
language plpgsql stable set jit = off set enable_seqscan = off set enable_bitmapscan = off as $body$
#variable_conflict use_column
begin
  return query
    with deliveries as (
      select account, count(*) as count, min(place) as first from :schema.queue where lane = any ('{callback,webhook}') group by account
    ), calls as (
      select account, count(*) as count, min(place) as first from :schema.queue where lane > 'call ' and lane < 'call!' group by account
    ), queues as (
      select deliveries.account, 'deliveries' as queue, count, delivery.received_at as since
      from deliveries join :schema.queue on queue.place = first
      join :schema.delivery on delivery.id = queue.item and delivery.account = queue.account
      union all
      select calls.account, 'calls', count, event.created_at
      from calls join :schema.queue on queue.place = first
      join :schema.event on event.id = queue.item and event.account = queue.account
      union all
      select account, 'dead_letters', count(*), min(due_at) from :schema.queue where lane > 'dead ' and lane < 'dead!' group by account
      union all
      select account, 'unrecognised', count(*), min(received_at) from :schema.delivery
      where outcome = 'unrecognised' and not exists (
        select from :schema.queue
        where queue.line = hashtextextended(delivery.account || ' ' || delivery.id, 0) and queue.item = delivery.id)
      group by account
      union all
      select account, case kind when 'payment_link' then 'open_links' else 'open' end, count(*), min(created_at)
      from :schema.operation_queue join :schema.operation using (id, account)
      where followed = false and due_at < 'infinity' group by account, 2
      union all
      select account, 'in_review', count(*), min(created_at)
      from :schema.operation_queue join :schema.operation using (id, account)
      where listed_as = 'in_review' group by account
      union all
      select account, 'passed_guard', count(*), min(created_at)
      from :schema.operation
      where besides is not null and created_at > :schema.clock() - interval '24 hours' group by account
    )
    select account, queue, count, (extract(epoch from :schema.clock() - since) * 1000)::float8 from queues;
end
$body$;
