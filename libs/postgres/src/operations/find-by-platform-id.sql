-- Index operation_platform_id.
select *, (extract(epoch from :schema.clock()) * 1000)::text as now
from :schema.operation_row
where account = $1 and kind = $2 and platform_id = $3
