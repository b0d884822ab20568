-- Claims due deliveries; see functions/claim-deliveries.sql.
select account, id, encode(key, 'hex') as key, kind, resource, resource_id, verified_by, encode(body, 'hex') as body, 'pending' as state,
  duplicates, attempts, token, last_error, traceparent, extract(epoch from received_at) * 1000 as received_at,
  extract(epoch from :schema.clock() - received_at) * 1000 as age_ms
from :fn.claim_deliveries($1, $2, $3, $4)
order by due_at, place
