-- Index queue_line. What is planned earlier stays. Each account comes once. Two processes may both insert a row of an account: then the second
-- one stands behind the first in its line, and is never claimed.
with plan as (
  select account, kind, hashtextextended(account, 0) as line, :schema.clock() + in_ms * interval '1 millisecond' as due_at
  from unnest($1::text[], $2::text[], $3::float8[]) as given(account, kind, in_ms)
), earlier as (
  update :schema.queue set due_at = plan.due_at from plan
  where queue.line = plan.line and queue.lane = plan.kind and queue.account = plan.account and plan.due_at < queue.due_at
)
insert into :schema.queue (lane, account, item, line, due_at)
select kind, account, account, line, due_at from plan
where not exists (
  select from :schema.queue known where known.line = plan.line and known.lane = plan.kind and known.account = plan.account)
