-- Claims due calls; see functions/claim-due-work.sql.
select place as id, account, token, listener, item as event_id, attempts, (event).name as event, (event).stream, (event).payload,
  (event).traceparent, is_late::text
from :fn.claim_due_work($1, null, $2, $3)
