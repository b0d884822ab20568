-- Indexes event_age and call_line.
with old as (
  select account, id, stream from :schema.event
  where account = $1 and redacted and created_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
    and not exists (select from :schema.call
      where call.stream_key = hashtextextended(event.stream, 0) and call.event_id = event.id and call.account = event.account
        and call.state <> 'done')
  order by created_at limit $3 for update skip locked
), done as (
  delete from :schema.call using old
  where call.stream_key = hashtextextended(old.stream, 0) and call.event_id = old.id and call.account = old.account
)
delete from :schema.event using old
where event.account = old.account and event.id = old.id
returning event.id
