-- Claims due calls; see functions/claim-calls.sql.
select id, account, token, listener, event_id, attempts, event, stream, payload, traceparent
from :fn.claim_calls($1, $2, $3)
