-- Index token_pkey. The owner's lease ends with the write; the lease of another owner stays.
insert into :schema.token (account, sealed, expires_at)
values ($1, $3::bytea, :schema.clock() + $4::float8 * interval '1 millisecond')
on conflict (account) do update set
  sealed = excluded.sealed, expires_at = excluded.expires_at,
  owner = nullif(token.owner, $2), claimed_until = case when token.owner = $2 then null else token.claimed_until end
