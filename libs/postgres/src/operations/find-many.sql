-- Index operation_pkey.
select *, (extract(epoch from :schema.clock()) * 1000)::text as now
from :schema.operation_row
where account = any ($1::text[]) and id = any ($2::text[])
