-- Index account_pkey. The lease goes to its present owner, or to anyone after it has expired.
insert into :schema.account (name, sweeper, claimed_until)
values ($1, $2, :schema.clock() + $3::float8 * interval '1 millisecond')
on conflict (name) do update set sweeper = excluded.sweeper, claimed_until = excluded.claimed_until
where account.sweeper is null or account.sweeper = excluded.sweeper or account.claimed_until <= :schema.clock()
returning name
