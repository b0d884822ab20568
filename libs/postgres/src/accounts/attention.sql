-- Indexes operation_queue_listed, queue_due and delivery_unrecognised: of each account, at most $2 entries of each. Index operation_queue_due
-- once for all accounts, and not further than 50,000 entries: it has no account, because every payment enters and leaves it.
with open as (
  select account, count(*) as count
  from (
    select account from :schema.operation_queue
    where followed = false and due_at < 'infinity' and listed_as is null
    order by due_at, id limit 50000
  ) due_first
  where account = any ($1)
  group by account
)
select given.account, least(coalesce(open.count, 0), $2) as open,
  (select count(*) from (
    select from :schema.operation_queue queued
    where queued.account = given.account and listed_as = 'in_review' limit $2) found) as in_review,
  (select count(*) from (
    select from :schema.queue where lane = 'dead ' || given.account limit $2) found) as dead_letters,
  (select count(*) from (
    select from :schema.delivery
    where delivery.account = given.account and delivery.outcome = 'unrecognised' and not exists (
      select from :schema.queue where queue.line = hashtextextended(delivery.account || ' ' || delivery.id, 0) and queue.item = delivery.id)
    limit $2) found) as unrecognised
from unnest($1::text[]) with ordinality as given(account, place)
left join open on open.account = given.account
order by given.place
