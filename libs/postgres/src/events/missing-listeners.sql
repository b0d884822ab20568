-- Listeners whose first claimable call has waited for too long while no replica claims any of their calls. Indexes
-- call_due and call_line.
select listener.listener, counted.calls,
  extract(epoch from :schema.clock() - waiting.free_at) * 1000 as waiting_ms
from (select distinct listener from :schema.listener where account = $1) listener
cross join lateral (
  select greatest(call.due_at, call.claimed_until) as free_at from :schema.call
  where call.account = $1 and call.listener = listener.listener and call.state = 'pending'
    and call.id = (
      select line.id from :schema.call line
      where line.account = $1 and line.listener = listener.listener and line.stream_key = call.stream_key
        and line.state = 'pending'
      order by line.id limit 1)
  order by call.due_at, call.id limit 1) waiting
cross join lateral (
  select count(*) as calls, bool_or(claimed_until > :schema.clock()) as is_claimed from (
    select claimed_until from :schema.call
    where call.account = $1 and call.listener = listener.listener and call.state = 'pending'
    order by call.due_at, call.id limit 1000) first) counted
where waiting.free_at <= :schema.clock() - $2::float8 * interval '1 millisecond' and counted.is_claimed is not true
order by listener.listener
