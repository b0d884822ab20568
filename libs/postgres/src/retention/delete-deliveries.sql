-- Index delivery_of_account. A delivery is deleted completely: without its key, a duplicate is only processed once more.
with old as (
  select account, id from :schema.delivery
  where account = $1 and received_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
    and received_at >= to_timestamp($6::float8 / 1000) and received_at < to_timestamp($7::float8 / 1000)
    and ($4::text[] is null or :fn.mentions_in_body(body, $4, $5) or :fn.mentions_one_of(body, $8::text[]))
    and not exists (
      select from :schema.queue where queue.line = hashtextextended(delivery.account || ' ' || delivery.id, 0) and queue.item = delivery.id)
  order by received_at limit $3 for update skip locked
)
delete from :schema.delivery using old
where delivery.account = old.account and delivery.id = old.id
returning delivery.id
