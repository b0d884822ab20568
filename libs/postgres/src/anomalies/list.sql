-- Index anomaly_pkey.
select kind, count, extract(epoch from last_at) * 1000 as last_at, examples
from :schema.anomaly
where account = $1
order by kind
