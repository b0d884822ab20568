-- The oldest dead letters, in the order of index call_dead.
select call.id, event_id, event.name as event, event.stream, listener, attempts, last_error,
  extract(epoch from event.created_at) * 1000 as at,
  extract(epoch from died_at) * 1000 as died_at
from :schema.call
join :schema.event on event.account = call.account and event.id = call.event_id
where call.account = $1 and call.state = 'dead'
order by call.died_at, call.id
limit $2
