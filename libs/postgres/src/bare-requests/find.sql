-- Index bare_request_pkey.
select id, resource, platform_id, extract(epoch from sent_at) * 1000 as sent_at, money
from :schema.bare_request
where account = $1 and resource = $2 and id = $3 and created_at > :schema.clock() - interval '31 days'
