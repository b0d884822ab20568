-- Nearest-rank percentiles, as in the memory store. Index operation_created.
select count(*) as count,
  (array_agg(ms order by ms))[least(count(*), floor(count(*) * 0.5) + 1)] as p50,
  (array_agg(ms order by ms))[least(count(*), floor(count(*) * 0.9) + 1)] as p90,
  (array_agg(ms order by ms))[least(count(*), floor(count(*) * 0.99) + 1)] as p99
from (
  select extract(epoch from updated_at - created_at) * 1000 as ms
  from :schema.operation
  where account = $1 and created_at >= to_timestamp($2::float8 / 1000) and created_at < to_timestamp($3::float8 / 1000)
    and state in ('succeeded', 'failed', 'reversed')
) finals
