-- Index account_pkey. The first call fixes where sweeps of the account start.
insert into :schema.account (name, sweep_from, watermark)
values ($1, to_timestamp($2::float8 / 1000), to_timestamp($2::float8 / 1000))
on conflict (name) do update set
  sweep_from = coalesce(account.sweep_from, excluded.sweep_from),
  watermark = coalesce(account.watermark, excluded.watermark)
returning extract(epoch from sweep_from) * 1000 as sweep_from, extract(epoch from watermark) * 1000 as watermark,
  extract(epoch from recovered_at) * 1000 as recovered_at, scope
