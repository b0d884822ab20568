-- Requests of any payer that may own a transaction, in the order of index bare_request_candidate_of_any.
select id, resource, platform_id, extract(epoch from sent_at) * 1000 as sent_at, money
from :schema.bare_request
where account = $1 and amount_hash = decode($2, 'hex')
  and sent_at between to_timestamp($3::float8 / 1000) and to_timestamp($4::float8 / 1000)
  and created_at > :schema.clock() - interval '31 days'
order by bare_request.sent_at
limit 10
