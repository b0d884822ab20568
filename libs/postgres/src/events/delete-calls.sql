-- Index queue_due. Deletes a batch of calls of a listener: those that wait and dead letters. Their events must not say that it has succeeded.
with gone as (
  delete from :schema.queue where place in (
    select place from :schema.queue where lane = concat_ws(' ', 'call', $1::text, $2::text)
    union all
    select place from :schema.queue where lane = 'dead ' || $1 and listener = $2
    limit $3)
  returning place, account, item
), uncalled as (
  update :schema.event set called = array_remove(called, $2::text)
  from gone where event.account = gone.account and event.id = gone.item
)
select place from gone
