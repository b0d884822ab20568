-- Index account_pkey. The first process of each account inserts the row.
insert into :schema.account (name) select unnest($1::text[]) order by 1
on conflict (name) do nothing
