-- Index sweep_pkey.
with saved as (
  update :schema.sweep
  set watermark = to_timestamp($3::float8 / 1000), recovered_at = to_timestamp($4::float8 / 1000)
  where account = $1 and owner = $2 and sweep_from is not null
  returning account, watermark
)
select account, :schema.end_restores(account, watermark, to_timestamp($5::float8 / 1000)) from saved
