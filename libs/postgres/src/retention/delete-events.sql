-- Index event_age.
with old as (
  select account, id from :schema.event
  where account = $1 and redacted and created_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
    and not exists (select from :schema.call
      where call.stream_key = hashtextextended(event.stream, 0) and call.event_id = event.id and call.account = event.account)
  order by created_at limit $3 for update skip locked
)
delete from :schema.event using old
where event.account = old.account and event.id = old.id
returning event.id
