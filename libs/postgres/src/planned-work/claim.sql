-- Claims planned work that is due; see functions/claim-due-work.sql.
select account
from :fn.claim_due_work($1, $2, $3, $4)
order by due_at, place
