-- Counts and sums that are kept for each quarter of an hour, so that reading them costs the same however many operations there are;
-- and for each hour and each day in UTC, so that a long time is few rows. Readers take the longest that lie within a span.
--
-- A commit that changes them inserts one row into total_change. If it changed the totals themselves, all commits of the same quarter
-- would wait for each other. roll_up_totals adds these rows to the totals and deletes them, and readers add what is left. Retention
-- deletes totals when it deletes what they count.

create table :schema.total (
  account text not null,
  measure text not null,
  minutes integer not null check (minutes in (15, 60, 1440)),
  begins_at timestamptz not null,
  kind text not null,
  name text not null,
  till text not null,
  currency text not null,
  count bigint not null,
  minor numeric not null,
  primary key (account, measure, minutes, begins_at, kind, name, till, currency)
) with (fillfactor = 80);

create table :schema.total_change (
  place bigint generated always as identity primary key,
  account text not null,
  committed_at timestamptz not null,
  changes jsonb not null,
  -- A change that could not be added, and when: it is tried again alone, and it is in no total. The others go on.
  refused text,
  refused_at timestamptz
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000);

-- Deliveries change nothing when they arrive: they are counted by the time of their arrival, once a quarter is over.
create table :schema.total_progress (
  only_row boolean primary key default true check (only_row),
  deliveries_until timestamptz not null
);

-- The beginning of the quarter of an hour, hour or day in UTC that a time is in.
create function :schema.beginning(p_at timestamptz, p_minutes integer)
returns timestamptz language sql stable parallel safe as $body$
  select to_timestamp(floor(extract(epoch from p_at) / (p_minutes * 60)) * (p_minutes * 60))
$body$;

-- What one commit adds. The class of a time is that of timeClass() in @tillkit/payments.
create function :schema.total_entries(p_committed_at timestamptz, p_changes jsonb)
returns table (measure text, at timestamptz, kind text, name text, till text, currency text, count bigint, minor numeric)
language sql stable parallel safe as $body$
  select measure, counted_at, kind,
    case measure when 'time'
      then floor(4 * ln(greatest(1, extract(epoch from p_committed_at - counted_at) * 1000)::float8) / ln(2::float8))::text
      else name end,
    -- It is from the platform, and an index entry has no room for a long one.
    left(till, 64), currency, count, minor
  from jsonb_to_recordset(p_changes) as given(
    measure text, kind text, name text, till text, currency text, count bigint, minor numeric, at float8)
  cross join lateral (select coalesce(to_timestamp(at / 1000), p_committed_at) as counted_at) as counted
$body$;

-- Adds changes to the totals, and deletes them.
create function :schema.add_to_totals(p_places bigint[])
returns void language sql volatile as $body$
  with taken as (
    delete from :schema.total_change where place = any (p_places)
    returning account, committed_at, changes
  )
  insert into :schema.total as total (account, measure, minutes, begins_at, kind, name, till, currency, count, minor)
  select account, measure, minutes, :schema.beginning(at, minutes), kind, name, till, currency, sum(count), sum(minor)
  from taken cross join lateral :schema.total_entries(committed_at, changes)
  cross join (values (15), (60), (1440)) as length(minutes)
  group by account, measure, minutes, :schema.beginning(at, minutes), kind, name, till, currency
  on conflict (account, measure, minutes, begins_at, kind, name, till, currency)
    do update set count = total.count + excluded.count, minor = total.minor + excluded.minor
$body$;

-- Adds one change; if that is not possible, it stays aside. Null when it was added, else why not.
create function :schema.add_one_to_totals(p_place bigint)
returns text language plpgsql volatile as $body$
begin
  perform :schema.add_to_totals(array[p_place]);
  return null;
exception when data_exception or program_limit_exceeded or integrity_constraint_violation then
  update :schema.total_change set refused = sqlstate, refused_at = :schema.clock() where place = p_place;
  return sqlstate;
end
$body$;

-- Adds at most so many changes to the totals, and counts the deliveries of quarters that are over. Returns how many changes it took, and those
-- that it could not add: one change of one account must not keep those of the others from being added. They are tried again alone, one in a
-- call, an hour later. One process does it at a time; another one returns at once.
create function :schema.roll_up_totals(p_most integer, out taken integer, out refused jsonb)
language plpgsql volatile as $body$
declare
  p_places bigint[];
  p_from timestamptz;
  p_until timestamptz;
begin
  taken := 0;
  refused := '[]';
  if not pg_try_advisory_xact_lock(hashtextextended('tillkit:totals::schema', 0)) then
    return;
  end if;
  p_places := array(
    select place from :schema.total_change change where change.refused is null order by place limit p_most);
  taken := cardinality(p_places);
  begin
    perform :schema.add_to_totals(p_places);
    p_places := '{}';
  exception when data_exception or program_limit_exceeded or integrity_constraint_violation then
    -- Some of them: each is tried alone below.
  end;
  p_places := p_places || array(
    select place from :schema.total_change change
    where change.refused_at < :schema.clock() - interval '1 hour' order by refused_at limit 1);
  if p_places <> '{}' then
    select coalesce(jsonb_agg(jsonb_build_object('account', account, 'place', place, 'state', state)), '[]') into refused
    from (
      select account, place, :schema.add_one_to_totals(place) as state from (
        select account, place from :schema.total_change where place = any (p_places) order by place
      ) as each
    ) as tried
    where state is not null;
  end if;

  -- A delivery that is stored later than a minute after its arrival would not be counted: its statement has given up long before.
  select deliveries_until into p_from from :schema.total_progress;
  if p_from is null then
    select :schema.beginning(coalesce(min(received_at), :schema.clock()), 15) into p_from from :schema.delivery;
    insert into :schema.total_progress (deliveries_until) values (p_from);
  end if;
  p_until := least(:schema.beginning(:schema.clock() - interval '1 minute', 15), p_from + interval '1 day');
  if p_until > p_from then
    insert into :schema.total as total (account, measure, minutes, begins_at, kind, name, till, currency, count, minor)
    select account, 'delivery', minutes, :schema.beginning(received_at, minutes), '', kind, '', '', count(*), 0
    from :schema.delivery cross join (values (15), (60), (1440)) as length(minutes)
    where received_at >= p_from and received_at < p_until
    group by account, minutes, :schema.beginning(received_at, minutes), kind
    on conflict (account, measure, minutes, begins_at, kind, name, till, currency)
      do update set count = total.count + excluded.count;
    update :schema.total_progress set deliveries_until = p_until;
  end if;
end
$body$;
