-- Events with calls of which none succeeds any more: the last attempt was long ago. Of one customer also those of dead letters. Index event_age.
select id, payload from :schema.event
where account = $1 and not redacted and created_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
  and created_at >= to_timestamp($7::float8 / 1000) and created_at < to_timestamp($8::float8 / 1000)
  and ($5::text[] is null or stream = any ($9::text[]) or :fn.mentions_in_text(payload::text, $5, $6))
  and exists (select from :schema.queue
      where queue.line = hashtextextended(event.stream, 0) and queue.item = event.id and queue.account = event.account
        and lane <> 'done')
  and not exists (
    select from :schema.queue
      where queue.line = hashtextextended(event.stream, 0) and queue.item = event.id and queue.account = event.account
        and lane <> 'done' and (case when lane like 'call %' and $5::text[] is not null then 'infinity' else due_at end
          > (select :schema.clock()) - $3::float8 * interval '1 millisecond'
        or claimed_until > (select :schema.clock())))
order by created_at limit $4
