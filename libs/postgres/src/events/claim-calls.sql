-- Claims due calls; see claim_calls in migrations/000015.claim-functions.sql.
select id, account, token, listener, event_id, attempts, event, stream, payload, traceparent
from :schema.claim_calls($1, $2, $3)
