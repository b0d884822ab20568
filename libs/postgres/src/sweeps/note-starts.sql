-- Index sweep_pkey. The first process of each account inserts the row.
insert into :schema.sweep (account) select unnest($1::text[]) order by 1
on conflict (account) do nothing
