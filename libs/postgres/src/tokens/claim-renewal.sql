-- Index token_pkey. The lease goes to its present owner, or to anyone after it has expired.
insert into :schema.token (account, application, owner, claimed_until)
values ($1, $2, $3, :schema.clock() + $4::float8 * interval '1 millisecond')
on conflict (account, application) do update
set owner = excluded.owner, claimed_until = excluded.claimed_until
where token.owner is null or token.owner = excluded.owner or token.claimed_until <= :schema.clock()
returning account
