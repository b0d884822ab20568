-- Writes the events of changes, without those that were written before, and their listener calls. Returns the calls by the place of
-- their change. A call of a listener that a change claims has a lease from the beginning, unless an earlier call of its listener
-- and stream waits.
create function :fn.write_events(p_changes jsonb, p_moment timestamptz, p_token text)
returns jsonb language plpgsql volatile as $body$
declare
  p_given jsonb;
  p_calls jsonb;
begin
  -- By event, because a join of two sets that are not tables compares each row of one with each row of the other.
  select jsonb_object_agg((change->>'account') || ' ' || (event->>'id'), jsonb_build_object(
      'change', place, 'claim', change->'claim') order by place desc) into p_given
  from jsonb_array_elements(p_changes) with ordinality as changes(change, place)
  cross join lateral jsonb_array_elements(change->'events') as events(event);
  if p_given is null then
    return '{}';
  end if;
  with written as (
    insert into :schema.event (account, id, name, stream, via, payload, amount, traceparent, created_at)
    select change->>'account', event->>'id', event->>'name', event->>'stream', coalesce(event->'payload'->>'via', ''),
      event->'payload', event->>'amount', event->>'traceparent', p_moment
    from jsonb_array_elements(p_changes) with ordinality as changes(change, place)
    cross join lateral jsonb_array_elements(change->'events') with ordinality as events(event, number)
    order by changes.place, number
    on conflict do nothing
    returning account, id, name, hashtextextended(stream, 0) as stream_key, place, p_given->(account || ' ' || id) as given
  ), listening as (
    select written.*, listener.listener,
      coalesce(given->'claim'->'listeners' ? listener.listener, false)
        and row_number() over (partition by written.account, stream_key, listener.listener order by written.place) = 1
        -- Not 'not exists': PostgreSQL may read the whole table for it once, into a hash, instead of the index for each row.
        and (select line.id from :schema.call line
          where line.stream_key = written.stream_key and line.listener = listener.listener and line.account = written.account
            and line.state || '' = 'pending' limit 1) is null as is_claimed
    from written
    join :schema.listener on listener.event = written.name and listener.account = written.account
  ), called as (
    insert into :schema.call (account, listener, event_id, event_place, stream_key, due_at, claimed_until, token, attempts)
    select account, listener, id, place, stream_key, p_moment,
      case when is_claimed then p_moment + (given->'claim'->>'leaseMs')::float8 * interval '1 millisecond' end,
      case when is_claimed then p_token end, is_claimed::integer
    from listening order by place, listener
    returning id, account, listener, event_id, token
  )
  select jsonb_object_agg(change, calls) into p_calls from (
    select p_given->(account || ' ' || event_id)->>'change' as change, jsonb_agg(jsonb_build_object(
      'id', id::text, 'listener', listener, 'eventId', event_id, 'token', token) order by called.id) as calls
    from called group by 1) as by_change;
  return coalesce(p_calls, '{}');
end
$body$;
