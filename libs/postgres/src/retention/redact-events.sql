-- Events that all listeners have completed; indexes event_age and queue_line. The row stays, so that its event is not emitted again.
with old as (
  select account, id, stream from :schema.event
  where account = $1 and not redacted and created_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
    and created_at >= to_timestamp($6::float8 / 1000) and created_at < to_timestamp($7::float8 / 1000)
    and ($4::text[] is null or stream = any ($8::text[]) or :fn.mentions_in_text(payload::text, $4, $5))
    and not exists (select from :schema.queue
      where queue.line = hashtextextended(event.stream, 0) and queue.item = event.id and queue.account = event.account
        and lane <> 'done')
  order by created_at limit $3 for no key update skip locked
), done as (
  delete from :schema.queue using old
  where queue.line = hashtextextended(old.stream, 0) and queue.item = old.id and queue.account = old.account
)
update :schema.event set redacted = true, payload = null, called = '{}'
from old where event.account = old.account and event.id = old.id
returning event.id
