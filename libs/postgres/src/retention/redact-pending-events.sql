-- Indexes event_pkey and queue_line. Errors of listeners may contain personal data too.
with errors as (
  update :schema.queue set last_error = $4
  from :schema.event
  where event.account = $1 and event.id = any ($2::text[]) and queue.line = hashtextextended(event.stream, 0) and queue.item = event.id and queue.account = event.account
    and last_error is not null
)
update :schema.event set redacted = true, payload = given.payload::jsonb
from unnest($2::text[], $3::text[]) as given(id, payload)
where event.account = $1 and event.id = given.id and not event.redacted
returning event.id
