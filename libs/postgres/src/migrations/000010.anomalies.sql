-- Anomalies, counted by what happened, each with the last example.

create table :schema.anomaly (
  account text not null,
  what text not null,
  example text not null,
  count bigint not null default 1,
  last_at timestamptz not null,
  primary key (account, what)
);
