-- Deletes a batch of calls of a listener: pending calls (index call_due) and dead letters (index call_dead). Their events must not say that
-- it has succeeded.
with gone as (
  delete from :schema.call where id in (
    select id from :schema.call where account = $1 and listener = $2 and state = 'pending'
    union all
    select id from :schema.call where account = $1 and listener = $2 and state = 'dead'
    limit $3)
  returning id, account, event_id
), uncalled as (
  update :schema.event set called = array_remove(called, $2::text)
  from gone where event.account = gone.account and event.id = gone.event_id
)
select id from gone
