-- The source of the result of each operation. Indexes operation_created and event_stream.
select event.via, count(*) as count
from (
  select account, id from :schema.operation
  where account = $1 and kind = 'payment' and created_at >= to_timestamp($2::float8 / 1000) and created_at < to_timestamp($3::float8 / 1000)
) operation
join :schema.event on hashtextextended(event.stream, 0) = hashtextextended(operation.id, 0)
  and event.stream = operation.id and event.account = operation.account
where event.name in ('payment.succeeded', 'payment.failed')
group by event.via
order by count(*) desc, event.via
