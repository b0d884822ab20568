-- Index call_dead. Dead letters become new calls at the end of their stream, so that they do not overtake a call that
-- is being made.
with dead as (
  delete from :schema.call where account = $1 and state = 'dead' and ($2::bigint is null or id = $2::bigint)
  returning id, account, listener, event_id, stream_key
), called_again as (
  insert into :schema.call (account, listener, event_id, stream_key, due_at)
  select account, listener, event_id, stream_key, :schema.clock() from dead order by id
)
select dead.id, listener, event.name as event, event_id, event.stream
from dead join :schema.event on event.account = dead.account and event.id = dead.event_id
order by dead.id
