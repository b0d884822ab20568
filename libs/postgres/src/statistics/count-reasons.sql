-- Index operation_created.
select reason, count(*) as count
from :schema.operation
where account = $1 and kind = 'payment' and created_at >= to_timestamp($2::float8 / 1000) and created_at < to_timestamp($3::float8 / 1000)
  and reason is not null
group by reason
order by count(*) desc, reason
