-- Events that all listeners have completed; index event_age. The row stays, so that its event is not emitted again.
with old as (
  select account, id from :schema.event
  where account = $1 and not redacted and created_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
    and created_at >= to_timestamp($6::float8 / 1000) and created_at < to_timestamp($7::float8 / 1000)
    and ($4::text is null or stream = any ($8::text[]) or :fn.mentions_in_text(payload::text, $4, $5))
    and not exists (select from :schema.call
      where call.stream_key = hashtextextended(event.stream, 0) and call.event_id = event.id and call.account = event.account)
  order by created_at limit $3 for no key update skip locked
)
update :schema.event set redacted = true, payload = null, called = '{}', late_calls = null
from old where event.account = old.account and event.id = old.id
returning event.id
