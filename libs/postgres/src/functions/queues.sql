-- What waits, of all accounts. Each part reads a queue or a partial index, and all are small: delivery_unrecognised, operation_due,
-- operation_in_review, call_dead. The first of a queue has the lowest number, so its age costs one row for each account.
create function :fn.queues()
returns table (account text, queue text, count bigint, oldest_ms float8)
language plpgsql stable set jit = off set enable_seqscan = off set enable_bitmapscan = off as $body$
#variable_conflict use_column
begin
  return query
    with delivery_queues as (
      select account, count(*) as count, min(place) as first from :schema.delivery_queue group by account
    ), call_queues as (
      select account, count(*) as count, min(id) as first from :schema.call where state = 'pending' group by account
    ), queues as (
      select queues.account, 'deliveries' as queue, count, delivery.received_at as since
      from delivery_queues queues
      join :schema.delivery_queue queue on queue.place = queues.first
      join :schema.delivery on delivery.id = queue.id and delivery.account = queue.account
      union all
      select queues.account, 'calls', count, event.created_at
      from call_queues queues
      join :schema.call on call.id = queues.first
      join :schema.event on event.id = call.event_id and event.account = call.account
      union all
      select account, 'dead_letters', count(*), min(ended_at) from :schema.call where state = 'dead' group by account
      union all
      select account, 'unrecognised', count(*), min(received_at) from :schema.delivery
      where outcome = 'unrecognised' and not exists (
        select from :schema.delivery_queue queue where queue.id = delivery.id and queue.account = delivery.account)
      group by account
      union all
      select account, case kind when 'payment_link' then 'open_links' else 'open' end, count(*), min(created_at)
      from :schema.operation_queue join :schema.operation using (id, account)
      where followed = false and due_at < 'infinity' group by account, 2
      union all
      select account, 'in_review', count(*), min(created_at)
      from :schema.operation_queue join :schema.operation using (id, account)
      where listed_as = 'in_review' group by account
    )
    select account, queue, count, (extract(epoch from :schema.clock() - since) * 1000)::float8 from queues;
end
$body$;
