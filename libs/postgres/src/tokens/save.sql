-- Index token_pkey. The owner's lease ends with the write; the lease of another owner stays. What is left of former applications is deleted.
with former as (
  delete from :schema.token
  where account = $1 and application <> $2
    and coalesce(greatest(expires_at, claimed_until) <= :schema.clock(), true)
)
insert into :schema.token (account, application, sealed, expires_at)
values ($1, $2, $4::bytea, :schema.clock() + $5::float8 * interval '1 millisecond')
on conflict (account, application) do update set
  sealed = excluded.sealed, expires_at = excluded.expires_at,
  owner = nullif(token.owner, $3), claimed_until = case when token.owner = $3 then null else token.claimed_until end
