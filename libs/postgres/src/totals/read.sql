-- What is kept, operations that are not final (index operation_watched), and deliveries that are not counted yet (index delivery_age).
with counted as (
  select measure, quarter, kind, name, till, currency, count, minor from :schema.total_row
  where account = $1 and measure = any($2::text[])
    and quarter >= ($3::timestamptz[])[1] and quarter < ($3::timestamptz[])[cardinality($3::timestamptz[])]
  union all
  select 'open', :schema.quarter(created_at), kind, state, coalesce(tills[1], ''), currency, 1, amount_minor::numeric
  from :schema.operation
  where 'open' = any($2::text[]) and account = $1
    and state not in ('succeeded', 'partially_succeeded', 'failed', 'reversed')
    and created_at >= ($3::timestamptz[])[1] and created_at < ($3::timestamptz[])[cardinality($3::timestamptz[])]
  union all
  select 'delivery', :schema.quarter(received_at), '', kind, '', '', 1, 0
  from :schema.delivery
  where 'delivery' = any($2::text[]) and account = $1
    and received_at >= greatest((select deliveries_until from :schema.total_progress), ($3::timestamptz[])[1])
    and received_at < ($3::timestamptz[])[cardinality($3::timestamptz[])]
)
select width_bucket(quarter, $3::timestamptz[]) - 1 as span, measure, kind, name, till, currency,
  sum(count) as count, sum(minor) as minor
from counted
group by 1, measure, kind, name, till, currency
having sum(count) <> 0 or sum(minor) <> 0
