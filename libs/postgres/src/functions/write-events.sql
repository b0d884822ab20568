-- Writes the events of changes, without those that were written before, and their listener calls, which it returns. A call of a listener
-- that a change claims has a lease from the beginning, unless an earlier call of its listener and stream waits, or one of its class for another outcome.
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
    on conflict (id, account) do nothing
    returning account, id, called, hashtextextended(stream, 0) as line, place, name not like '%.needs\_review' as has_outcome
  ), listening as (
    select account, id, place, line, listener, lane, class,
      coalesce(account || ' ' || id || ' ' || listener = any (p_claimed), false)
        and row_number() over (partition by account, line, listener order by place) = 1
        and (class is null or rank() over (partition by account, line, class order by place) = 1)
        -- Not 'not exists': PostgreSQL may read the whole table for it once, into a hash, instead of the index for each row.
        and (select earlier.place from :schema.queue earlier where earlier.line = written.line and earlier.lane = own.lane limit 1) is null
        and (class is null or (
          select other.place from :schema.queue other
          where other.line = written.line and other.lane > 'call ' and other.lane < 'call!' and other.class = own.class limit 1) is null)
        as is_claimed
    from written cross join lateral unnest(called) as listeners(listener)
    cross join lateral (
      select concat_ws(' ', 'call', account, listener) as lane,
        case when has_outcome and listener like '%.%' then account || ' ' || regexp_replace(listener, '\.[^.]*$', '') end as class) as own
  ), called as (
    insert into :schema.queue (lane, account, item, listener, class, line, due_at, claimed_until, token, attempts)
    select lane, account, id, listener, class, line, p_moment, case when is_claimed then p_moment + p_lease end,
      case when is_claimed then p_token end, is_claimed::integer
    from listening order by place, listener
    returning queue.*
  )
  select jsonb_agg(jsonb_build_object(
    'id', place::text, 'account', account, 'listener', listener, 'eventId', item, 'token', place || '.' || token) order by place) into p_calls
  from called;
  return p_calls;
end
$body$;
