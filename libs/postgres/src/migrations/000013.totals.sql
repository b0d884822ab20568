-- Counts and sums that are kept for each quarter of an hour, so that reading them costs the same however many operations there are;
-- and for each hour and each day in UTC, so that a long time is few rows. Readers take the longest that lie within a span.
--
-- A commit that changes them inserts one row for each account into total_change. If it changed the totals themselves, all commits of the same quarter
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
