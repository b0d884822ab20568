-- Events of a stream (index event_stream), each with its calls (index queue_line). Those without a row are done.
select event.id, name, stream, via, extract(epoch from created_at) * 1000 as at,
  coalesce((
    select jsonb_agg(jsonb_build_object('id', id, 'listener', listener, 'state', state, 'attempts', attempts,
      'lastError', last_error, 'endedAt', extract(epoch from ended_at) * 1000,
      'dueAt', extract(epoch from due_at) * 1000) order by listener)
    from (
      select place::text as id, listener, case kind when 'call' then 'pending' else kind end as state, attempts, last_error,
        case when kind <> 'call' then due_at end as ended_at, case kind when 'call' then greatest(due_at, claimed_until) end as due_at
      from :schema.queue cross join lateral split_part(lane, ' ', 1) as kind
      where queue.line = hashtextextended(event.stream, 0) and queue.item = event.id and queue.account = event.account
      union all
      select event.id || ':' || done.listener, done.listener, 'done', 1, null, null, null
      from unnest(called) as done(listener)
      where not exists (select from :schema.queue
        where queue.line = hashtextextended(event.stream, 0) and queue.item = event.id and queue.account = event.account
          and queue.listener = done.listener)
    ) calls), '[]') as calls
from :schema.event
where hashtextextended(stream, 0) = hashtextextended($2, 0) and stream = $2 and account = $1
order by created_at, place
