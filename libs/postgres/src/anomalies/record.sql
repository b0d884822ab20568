-- Index anomaly_pkey.
insert into :schema.anomaly (account, what, example, last_at) values ($1, $2, $3, :schema.clock())
on conflict (account, what) do update set
  count = anomaly.count + 1, example = excluded.example, last_at = excluded.last_at
