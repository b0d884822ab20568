export const REGISTER_LISTENERS = `
insert into :schema.listener (account, event, listener)
select distinct $1, event, listener from unnest($2::text[], $3::text[]) as given(event, listener)
order by event, listener
on conflict do nothing`;

export const UNREGISTER_LISTENER = `delete from :schema.listener where account = $1 and listener = $2 returning event`;

/** A batch of what waits or is dead; indexes call_due and call_dead. */
export const DROP_CALLS = `
delete from :schema.call where id in (
  select id from :schema.call where account = $1 and listener = $2 and state = 'pending'
  union all
  select id from :schema.call where account = $1 and listener = $2 and state = 'dead'
  limit $3)
returning id::text`;

/** The first that are due of these listeners: a function of the schema, see its migration. */
export const CLAIM_CALLS = `
select id, account, token, listener, event_id, attempts, event, stream, payload
from :schema.claim_calls($1, $2, $3, $4, $5)`;

/** Many acknowledgements, one commit; which of them, by number, are those whose claim still held. */
export const FINISH_CALLS = `select :schema.finish_calls($1, $2, $3, $4, $5) as number`;

export const RENEW_CALLS = `select :schema.renew_calls($1, $2, $3) as id`;

/** Of each listener the call that could be claimed for longest; indexes call_due, call_line. */
export const UNHEARD_LISTENERS = `
select listener.listener, counted.calls::text, (extract(epoch from :schema.clock() - untaken.free_at) * 1000)::text as waiting_ms
from (select distinct listener from :schema.listener where account = $1) listener
cross join lateral (
  select greatest(call.due_at, call.claimed_until) as free_at from :schema.call call
  where call.account = $1 and call.listener = listener.listener and call.state = 'pending'
    and call.id = (
      select line.id from :schema.call line
      where line.account = $1 and line.listener = listener.listener and line.stream_key = call.stream_key
        and line.state = 'pending'
      order by line.id limit 1)
  order by call.due_at, call.id limit 1) untaken
cross join lateral (
  select count(*) as calls, bool_or(claimed_until > :schema.clock()) as is_taken from (
    select claimed_until from :schema.call call
    where call.account = $1 and call.listener = listener.listener and call.state = 'pending'
    order by call.due_at, call.id limit 1000) first) counted
where untaken.free_at <= :schema.clock() - $2::float8 * interval '1 millisecond' and counted.is_taken is not true
order by listener.listener`;

/** Index call_dead, in its order. */
export const DEAD_LETTERS = `
select call.id::text, event_id, event.name as event, listener, attempts::text, last_error,
  (extract(epoch from died_at) * 1000)::text as died_at
from :schema.call call join :schema.event event on event.account = call.account and event.id = call.event_id
where call.account = $1 and call.state = 'dead'
order by call.died_at, call.id limit $2`;

/** As new calls, at the end of their line: one that is under way for the same stream is not overtaken. */
export const REPLAY_DEAD_LETTERS = `
with revived as (
  delete from :schema.call where account = $1 and state = 'dead' and ($2::bigint is null or id = $2::bigint)
  returning id, account, listener, event_id, stream_key
)
insert into :schema.call (account, listener, event_id, stream_key, due_at)
select account, listener, event_id, stream_key, :schema.clock() from revived order by id
returning id::text`;
