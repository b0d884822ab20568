-- Reads the rows of the last $2 milliseconds, at most $3 of each. Indexes event_age, delivery_of_account and operation_created, no further than that
-- time. The time is a subquery, because an index cannot be searched for a volatile function.
(select 'event ' || id as key, stream as about
 from :schema.event
 where account = $1 and redacted = false
   and created_at > (select :schema.clock() - $2 * interval '1 millisecond')
 order by created_at desc limit $3)
union all
(select 'delivery ' || id || ' ' || duplicates, resource_id
 from :schema.delivery
 where account = $1 and received_at > (select :schema.clock() - $2 * interval '1 millisecond')
 order by received_at desc limit $3)
union all
(select 'operation ' || id || ' ' || version, id
 from :schema.operation
 where account = $1 and created_at > (select :schema.clock() - $2 * interval '1 millisecond')
 order by created_at desc limit $3)
