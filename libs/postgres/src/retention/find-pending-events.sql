-- Events with calls of which none succeeds any more: the last attempt was long ago. Of one customer also those of dead letters. Index event_age.
select id, payload from :schema.event
where account = $1 and not redacted and created_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
  and created_at >= to_timestamp($7::float8 / 1000) and created_at < to_timestamp($8::float8 / 1000)
  and ($5::text is null or stream = any ($9::text[]) or :fn.mentions_in_text(payload::text, $5, $6))
  and exists (select from :schema.call
      where call.stream_key = hashtextextended(event.stream, 0) and call.event_id = event.id and call.account = event.account
        and call.state <> 'done')
  and not exists (
    select from :schema.call
      where call.stream_key = hashtextextended(event.stream, 0) and call.event_id = event.id and call.account = event.account
      and call.state <> 'done' and (coalesce(call.ended_at, case when $5::text is null then call.due_at else 'infinity' end)
          > (select :schema.clock()) - $3::float8 * interval '1 millisecond'
        or call.claimed_until > (select :schema.clock())))
order by created_at limit $4
