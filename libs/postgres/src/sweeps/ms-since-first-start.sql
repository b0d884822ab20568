-- Index sweep_pkey.
select extract(epoch from :schema.clock() - started_at) * 1000 as ms from :schema.sweep where account = $1
