-- Claims due calls; see claim_calls in migrations/000014.event-functions.sql.
select id, account, token, listener, event_id, attempts, event, stream, payload
from :schema.claim_calls($1, $2, $3)
