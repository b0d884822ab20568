-- Index restore_pkey. Ages by the database's clock, because other times are compared with the platform's.
select extract(epoch from :schema.clock() - lost_from) * 1000 as from_ago_ms, extract(epoch from :schema.clock() - lost_to) * 1000 as to_ago_ms
from :schema.restore
where account = $1 and remembered_until > :schema.clock()
order by begun_at
