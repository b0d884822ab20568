-- Index queue_due. Dead letters become new calls at the end of their stream, so that they do not overtake a call that
-- is being made.
with dead as (
  delete from :schema.queue where lane = 'dead ' || $1 and ($2::bigint is null or place = $2::bigint)
  returning place, account, listener, class, item, line
), called_again as (
  insert into :schema.queue (lane, account, item, listener, class, line, due_at, is_late)
  select concat_ws(' ', 'call', account, listener), account, item, listener, class, line, :schema.clock(), true from dead order by place
)
select dead.place as id, listener, event.name as event, item as event_id, event.stream
from dead join :schema.event on event.account = dead.account and event.id = dead.item
order by dead.place
