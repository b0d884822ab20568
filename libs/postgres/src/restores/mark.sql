-- Runs once, before any process: it may read whole tables. Nobody knows whether, when and by which attempt a row was sent, so it keeps no sender, and no money
-- becomes its own by amount and time. Its two changes, to requested and to unknown, are one here.
with read_again as (
  -- A reversal is listed at the time of what it reverses. Sweeps read nothing from before they began. One that ran has no lease any more.
  update :schema.account
  set sweeper = null, claimed_until = null, watermark = least(watermark, greatest(to_timestamp($1::float8 / 1000), sweep_from)),
    recovered_at = case when recovered_at is not null then least(recovered_at, to_timestamp($1::float8 / 1000) - interval '5 days') end
  where sweep_from is not null
), planned as (
  update :schema.queue set due_at = :schema.clock(), claimed_until = null, token = null where lane = 'sweep'
), before as (
  select account, id, state from :schema.operation where state in ('created', 'requested')
), doubtful as (
  update :schema.operation
  set state = 'unknown', version = version + 1, sender = null, sent_at = coalesce(sent_at, created_at),
    updated_at = :schema.clock(),
    history = history || jsonb_build_array(
      jsonb_build_array(extract(epoch from :schema.clock()) * 1000, 'review', 'state', before.state || ' to unknown'),
      jsonb_build_array(extract(epoch from :schema.clock()) * 1000, 'review', 'note', $2::text))
  from before
  where operation.id = before.id and operation.account = before.account
  returning operation.account, operation.id, kind, currency, amount, created_at
), due as (
  update :schema.operation_queue queued
  set due_at = :schema.clock(), claimed_until = null
  from doubtful
  where queued.id = doubtful.id and queued.account = doubtful.account
)
select account, kind, id, currency, amount, extract(epoch from created_at) * 1000 as created_at
from doubtful order by doubtful.account, doubtful.created_at, id
