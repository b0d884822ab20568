-- The beginning of the quarter of an hour, hour or day in UTC that a time is in.
create function :fn.beginning(p_at timestamptz, p_minutes integer)
returns timestamptz language sql stable parallel safe as $body$
  select to_timestamp(floor(extract(epoch from p_at)::float8 / (p_minutes * 60)) * (p_minutes * 60))
$body$;
