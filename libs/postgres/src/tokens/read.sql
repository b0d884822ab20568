-- Index token_pkey.
select encode(sealed, 'hex') as sealed, extract(epoch from expires_at - :schema.clock()) * 1000 as expires_in_ms
from :schema.token
where account = $1 and application = $2 and expires_at > :schema.clock()
