-- Anomalies, counted by kind, each kind with its last examples. Retention deletes a kind that was not seen for long.

create table :schema.anomaly (
  account text not null,
  kind text not null,
  count bigint not null default 1,
  last_at timestamptz not null,
  -- Latest first: what was seen, what it is about, and when, in epoch milliseconds.
  examples jsonb not null,
  primary key (account, kind)
);
