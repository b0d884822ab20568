-- Finishes one claim whose row a transaction of the host may still hold; see functions/finish-claims.sql. It waits for no longer than a moment.
select number
from (select set_config('lock_timeout', '50ms', true) as value) as limited
cross join lateral :fn.finish_claims($1, $2, $3, $4, $5) as finished(number)
where limited.value <> ''
