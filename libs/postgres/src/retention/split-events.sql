-- Events about several persons, of which one is redacted, unless a listener call waits. Errors of listeners may contain personal data too.
with chosen as (
  select event.account, event.id, event.stream, given.after
  from :schema.event join unnest($2::text[], $3::text[], $4::text[]) as given(id, before, after) on given.id = event.id
  where event.account = $1 and not redacted and payload = given.before::jsonb
    and not exists (select from :schema.call
      where call.stream_key = hashtextextended(event.stream, 0) and call.event_id = event.id and call.account = event.account
        and call.ended_at is null)
  for no key update of event
), errors as (
  update :schema.call set last_error = $5
  from chosen
  where call.account = chosen.account and call.stream_key = hashtextextended(chosen.stream, 0) and call.event_id = chosen.id
    and call.last_error is not null
)
update :schema.event set payload = chosen.after::jsonb
from chosen where event.account = chosen.account and event.id = chosen.id
returning event.id
