-- Claims due deliveries; see functions/claim-due-work.sql.
select account, item as id, ((delivery).id is not null)::text as is_there, encode((delivery).key, 'hex') as key, (delivery).kind, (delivery).resource, (delivery).resource_id,
  (delivery).verified_by, encode((delivery).body, 'hex') as body, 'pending' as state, (delivery).duplicates, attempts, token,
  coalesce(last_error, (delivery).last_error) as last_error, (delivery).traceparent,
  extract(epoch from (delivery).received_at) * 1000 as received_at,
  extract(epoch from :schema.clock() - (delivery).received_at) * 1000 as age_ms
from :fn.claim_due_work($1, $2, $3, $4)
order by due_at, place
