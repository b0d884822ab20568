-- Writes the events of changes, without those that were written before, and their listener calls, which it returns. A call of a listener
-- that a change claims has a lease from the beginning, unless an earlier call of its listener and stream waits.
create function :fn.write_events(p_changes jsonb, p_moment timestamptz, p_token text)
returns jsonb language plpgsql volatile as $body$
declare
  p_claimed text[];
  p_lease interval;
  p_calls jsonb;
begin
  select array_agg((change->>'account') || ' ' || (event->>'id') || ' ' || listener),
    max((change->'claim'->>'leaseMs')::float8) * interval '1 millisecond'
  into p_claimed, p_lease
  from jsonb_array_elements(p_changes) as changes(change)
  cross join lateral jsonb_array_elements(change->'events') as events(event)
  cross join lateral jsonb_array_elements_text(change->'claim'->'listeners') as listeners(listener);
  with written as (
    insert into :schema.event (account, id, name, stream, via, payload, called, amount, traceparent, created_at)
    select change->>'account', event->>'id', event->>'name', event->>'stream', coalesce(event->'payload'->>'via', ''),
      event->'payload', array(
        select listener.listener from :schema.listener
        where listener.event = events.event->>'name' and listener.account = change->>'account' order by 1),
      event->>'amount', event->>'traceparent', p_moment
    from jsonb_array_elements(p_changes) with ordinality as changes(change, place)
    cross join lateral jsonb_array_elements(change->'events') with ordinality as events(event, number)
    order by changes.place, number
    on conflict do nothing
    returning account, id, called, hashtextextended(stream, 0) as stream_key, place
  ), listening as (
    select account, id, place, stream_key, listener,
      coalesce(account || ' ' || id || ' ' || listener = any (p_claimed), false)
        and row_number() over (partition by account, stream_key, listener order by place) = 1
        -- Not 'not exists': PostgreSQL may read the whole table for it once, into a hash, instead of the index for each row.
        and (select line.id from :schema.call line
          where line.stream_key = written.stream_key and line.listener = listeners.listener and line.account = written.account
            and line.state || '' = 'pending' limit 1) is null as is_claimed
    from written cross join lateral unnest(called) as listeners(listener)
  ), called as (
    insert into :schema.call (account, listener, event_id, stream_key, due_at, claimed_until, token, attempts)
    select account, listener, id, stream_key, p_moment, case when is_claimed then p_moment + p_lease end,
      case when is_claimed then p_token end, is_claimed::integer
    from listening order by place, listener
    returning id, account, listener, event_id, token
  )
  select jsonb_agg(jsonb_build_object(
    'id', id::text, 'account', account, 'listener', listener, 'eventId', event_id, 'token', token) order by id) into p_calls
  from called;
  return p_calls;
end
$body$;
