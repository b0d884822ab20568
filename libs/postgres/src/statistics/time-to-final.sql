-- Nearest-rank percentiles, as in the memory store. Index operation_created.
select count(*) as count,
  percentile_disc(0.5) within group (order by ms) as p50,
  percentile_disc(0.9) within group (order by ms) as p90,
  percentile_disc(0.99) within group (order by ms) as p99
from (
  select extract(epoch from updated_at - created_at) * 1000 as ms
  from :schema.operation
  where account = $1 and kind = 'payment' and created_at >= to_timestamp($2::float8 / 1000) and created_at < to_timestamp($3::float8 / 1000)
    and state in ('succeeded', 'failed', 'reversed')
) finals
