-- Says what can be claimed; see functions/look-for-work.sql.
select kind, to_json(accounts)::text as accounts, listener, is_due::text as is_due, next_ms::text as next_ms
from :fn.look_for_work($1, $2, $3, $4, $5)
