-- Listeners whose first claimable call has waited for too long while no replica claims any of their calls. Indexes
-- queue_due and queue_line.
select listener.listener, counted.calls,
  extract(epoch from :schema.clock() - waiting.free_at) * 1000 as waiting_ms
from (select distinct listener, concat_ws(' ', 'call', account, listener) as lane from :schema.listener where account = $1) listener
cross join lateral (
  select greatest(due_at, claimed_until) as free_at from :schema.queue
  where queue.lane = listener.lane and place = (
    select first.place from :schema.queue first
    where first.line = queue.line and first.lane = listener.lane
    order by first.place limit 1)
  order by due_at, place limit 1) waiting
cross join lateral (
  select count(*) as calls, bool_or(claimed_until > :schema.clock()) as is_claimed from (
    select claimed_until from :schema.queue where queue.lane = listener.lane order by due_at, place limit 1000) first) counted
where waiting.free_at <= :schema.clock() - $2::float8 * interval '1 millisecond' and counted.is_claimed is not true
order by listener.listener
