-- Index account_pkey.
update :schema.account
set watermark = to_timestamp($3::float8 / 1000), recovered_at = to_timestamp($4::float8 / 1000), scope = $5
where name = $1 and sweeper = $2 and sweep_from is not null
returning name
