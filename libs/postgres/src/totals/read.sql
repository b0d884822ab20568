-- Kept totals of the segments, changes that are not added to them yet, and operations that are not final (indexes operation_queue_due and
-- operation_queue_listed).
with segment as (
  select * from unnest($4::integer[], $5::integer[], $6::timestamptz[], $7::timestamptz[]) as segment(span, minutes, from_at, until_at)
), counted as (
  select span, kept.* from segment cross join lateral (
    select measure, kind, name, till, currency, sum(count) as count, sum(minor) as minor from :schema.total
    where account = $1 and measure = any($2::text[]) and total.minutes = segment.minutes
      and begins_at >= from_at and begins_at < until_at
    group by measure, kind, name, till, currency
  ) as kept
  union all
  select width_bucket(:fn.beginning(at, 15), $3::timestamptz[]) - 1, measure, kind, name, till, currency, count, minor
  from :schema.total_change cross join lateral :fn.total_entries(committed_at, changes)
  where account = $1 and refused is null and measure = any($2::text[])
  union all
  select width_bucket(:fn.beginning(created_at, 15), $3::timestamptz[]) - 1,
    'open', kind, state, coalesce(tills[1], ''), currency, 1, amount_minor::numeric
  from :schema.operation_queue join :schema.operation using (id, account)
  where 'open' = any($2::text[]) and account = $1 and (followed = false or listed_as = 'in_review')
    and state not in ('succeeded', 'partially_succeeded', 'failed', 'reversed')
    and created_at >= ($3::timestamptz[])[1] and created_at < ($3::timestamptz[])[cardinality($3::timestamptz[])]
)
select span, measure, kind, name, till, currency, sum(count) as count, sum(minor) as minor
from counted
where span >= 0 and span < cardinality($3::timestamptz[]) - 1
group by span, measure, kind, name, till, currency
having sum(count) <> 0 or sum(minor) <> 0
