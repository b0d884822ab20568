-- Index operation_created.
select state, count(*) as count
from :schema.operation
where account = $1 and kind = 'payment' and created_at >= to_timestamp($2::float8 / 1000) and created_at < to_timestamp($3::float8 / 1000)
group by state
order by count(*) desc, state
