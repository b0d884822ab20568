-- Index anomaly_pkey.
select what, example, count, extract(epoch from last_at) * 1000 as last_at
from :schema.anomaly
where account = $1
order by what
