-- Claims due operations; see claim_due_operations in migrations/000015.claim-functions.sql.
select *, (extract(epoch from :schema.clock()) * 1000)::text as now
from :schema.claim_due_operations($1, $2, $3, $4, $5)
order by raw_due_at, id
