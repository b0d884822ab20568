-- Index operation_history_pkey.
select extract(epoch from at) * 1000 as at, via, what, detail
from :schema.operation_history
where account = $1 and operation_id = $2
order by id
