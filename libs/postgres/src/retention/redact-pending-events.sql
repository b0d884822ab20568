-- Indexes event_pkey and call_line. Errors of listeners may contain personal data too.
with errors as (
  update :schema.call set last_error = $4
  from :schema.event
  where event.account = $1 and event.id = any ($2::text[]) and call.account = $1
    and call.stream_key = hashtextextended(event.stream, 0) and call.event_id = event.id and call.last_error is not null
)
update :schema.event set redacted = true, payload = given.payload::jsonb
from unnest($2::text[], $3::text[]) as given(id, payload)
where event.account = $1 and event.id = given.id and not event.redacted
returning event.id
