-- Returns the entries that one commit adds to the totals. The class of a time is that of timeClass() in @tillkit/payments.
create function :fn.total_entries(p_committed_at timestamptz, p_changes jsonb)
returns table (measure text, at timestamptz, kind text, name text, till text, currency text, count bigint, minor numeric)
language sql stable parallel safe as $body$
  select measure, counted_at, kind,
    case measure when 'time'
      then floor(4 * ln(greatest(1, extract(epoch from p_committed_at - counted_at) * 1000)::float8) / ln(2::float8))::text
      else name end,
    -- It is from the platform, and an index entry has no room for a long one.
    left(till, 64), currency, count, minor
  from jsonb_array_elements(p_changes) as change
  cross join lateral (values (change->>0, change->>1, change->>2, change->>3, change->>4, (change->>5)::bigint, (change->>6)::numeric,
    (change->>7)::float8)) as given(measure, kind, name, till, currency, count, minor, at)
  cross join lateral (select coalesce(to_timestamp(at / 1000), p_committed_at) as counted_at) as counted
$body$;
