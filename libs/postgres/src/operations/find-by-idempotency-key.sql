-- Index operation_idempotency_key.
select *, (extract(epoch from :schema.clock()) * 1000)::text as now
from :schema.operation_row
where account = $1 and kind = $2 and idempotency_key = $3
