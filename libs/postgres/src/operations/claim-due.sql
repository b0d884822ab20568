-- Claims due operations; see functions/claim-due-operations.sql.
select *, (extract(epoch from :schema.clock()) * 1000)::text as now
from :fn.claim_due_operations($1, $2, $3, $4, $5)

