-- Index sweep_pkey. The first process of the account inserts the row.
insert into :schema.sweep (account) values ($1)
on conflict (account) do update set account = excluded.account
returning extract(epoch from :schema.clock() - started_at) * 1000 as ms
