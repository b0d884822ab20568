-- Events about several persons, of which one is redacted, unless a listener call waits. Errors of listeners may contain personal data too.
with chosen as (
  select event.account, event.id, event.stream, given.after
  from :schema.event join unnest($2::text[], $3::text[], $4::text[]) as given(id, before, after) on given.id = event.id
  where event.account = $1 and not redacted and payload = given.before::jsonb
    and not exists (select from :schema.queue
      where queue.line = hashtextextended(event.stream, 0) and queue.item = event.id and queue.account = event.account
        and lane like 'call %')
  for no key update of event
), errors as (
  update :schema.queue set last_error = $5
  from chosen
  where queue.account = chosen.account and queue.line = hashtextextended(chosen.stream, 0) and queue.item = chosen.id
    and last_error is not null
)
update :schema.event set payload = chosen.after::jsonb
from chosen where event.account = chosen.account and event.id = chosen.id
returning event.id
