-- Indexes event_age and queue_line.
with old as (
  select account, id, stream from :schema.event
  where account = $1 and redacted and created_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
    and not exists (select from :schema.queue
      where queue.line = hashtextextended(event.stream, 0) and queue.item = event.id and queue.account = event.account
        and lane <> 'done')
  order by created_at limit $3 for update skip locked
), done as (
  delete from :schema.queue using old
  where queue.line = hashtextextended(old.stream, 0) and queue.item = old.id and queue.account = old.account
)
delete from :schema.event using old
where event.account = old.account and event.id = old.id
returning event.id
