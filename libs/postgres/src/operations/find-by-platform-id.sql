-- Indexes platform_name_pkey and operation_pkey.
select operation_row.*, (extract(epoch from :schema.clock()) * 1000)::text as now
from :schema.platform_name named
join :schema.operation_row on operation_row.id = named.operation_id and operation_row.account = $1
where named.name = :fn.platform_name($2, $3) and named.account = $1
