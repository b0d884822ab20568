-- The sequences of columns, with the last value that each gave and the largest one that its column has. Of events the newest are enough (index
-- event_age): no index has their place, which only orders events of one moment. pause_transaction is of no column: see lock_sending.
create function :fn.sequences()
returns table (name text, sequence regclass, last bigint, most bigint)
language plpgsql volatile set jit = off set enable_seqscan = off set enable_bitmapscan = off as $body$
begin
  return query
    select 'event.place', ':schema.event_place_seq'::regclass, case when is_called then last_value else last_value - 1 end, greatest(
      (select max(place) from (select place from :schema.event where redacted = false order by created_at desc limit 1000) as newest),
      (select max(place) from (select place from :schema.event where redacted = true order by created_at desc limit 1000) as newest))
    from :schema.event_place_seq
    union all
    select 'pause.id', ':schema.pause_id_seq'::regclass, case when is_called then last_value else last_value - 1 end,
      (select max(id) from :schema.pause)
    from :schema.pause_id_seq
    union all
    select 'queue.place', ':schema.queue_place_seq'::regclass, case when is_called then last_value else last_value - 1 end,
      (select max(place) from :schema.queue)
    from :schema.queue_place_seq
    union all
    select 'total_change.place', ':schema.total_change_place_seq'::regclass, case when is_called then last_value else last_value - 1 end,
      (select max(place) from :schema.total_change)
    from :schema.total_change_place_seq;
end
$body$;
