-- Index account_pkey.
select extract(epoch from :schema.clock() - started_at) * 1000 as ms from :schema.account where name = $1
