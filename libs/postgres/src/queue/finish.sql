-- Finishes many claims in one commit; see functions/finish-claims.sql. It does not wait for the disk: a call whose end the server loses in a
-- crash is made again, as after a crash of its process.
select number
from (select set_config('synchronous_commit', 'off', true) as value) as waits_not
cross join lateral :fn.finish_claims($1, $2, $3, $4, $5) as finished(number)
where waits_not.value = 'off'
