-- Deliveries about several persons, of which one is redacted. One that waits or was changed meanwhile stays.
update :schema.delivery set body = given.after
from unnest($2::text[], $3::bytea[], $4::bytea[]) as given(id, before, after)
where delivery.account = $1 and delivery.id = given.id and delivery.body = given.before
  and not exists (
    select from :schema.queue where queue.line = hashtextextended(delivery.account || ' ' || delivery.id, 0) and queue.item = delivery.id)
returning delivery.id
