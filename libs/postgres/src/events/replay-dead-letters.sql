-- Index call_dead. Dead letters become new calls at the end of their stream, so that they do not overtake a call that
-- is being made.
with revived as (
  delete from :schema.call where account = $1 and state = 'dead' and ($2::bigint is null or id = $2::bigint)
  returning id, account, listener, event_id, event_place, stream_key
)
insert into :schema.call (account, listener, event_id, event_place, stream_key, due_at)
select account, listener, event_id, event_place, stream_key, :schema.clock() from revived order by id
returning id
