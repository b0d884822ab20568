-- Index sweep_pkey. The first call fixes where sweeps of the account start. A claim may have inserted the row before.
insert into :schema.sweep (account, sweep_from, watermark)
values ($1, to_timestamp($2::float8 / 1000), to_timestamp($2::float8 / 1000))
on conflict (account) do update set
  sweep_from = coalesce(sweep.sweep_from, excluded.sweep_from),
  watermark = coalesce(sweep.watermark, excluded.watermark)
returning extract(epoch from sweep_from) * 1000 as sweep_from, extract(epoch from watermark) * 1000 as watermark,
  extract(epoch from recovered_at) * 1000 as recovered_at, scope, unread::text as unread
