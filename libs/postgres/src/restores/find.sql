-- Index restore_pkey.
select extract(epoch from lost_from) * 1000 as lost_from, extract(epoch from lost_to) * 1000 as lost_to
from :schema.restore
where account = $1 and remembered_until > :schema.clock()
