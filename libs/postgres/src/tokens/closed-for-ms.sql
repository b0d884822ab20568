-- Index token_pkey.
select extract(epoch from closed_until - :schema.clock()) * 1000 as closed_for_ms
from :schema.token
where account = $1 and application = $2 and closed_until > :schema.clock()
