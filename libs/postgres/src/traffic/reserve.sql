-- Reserves turns of background requests; see functions/reserve-turns.sql.
select turns, in_ms, may_ask_again::text as may_ask_again
from :fn.reserve_turns($1, $2, $3::integer, $4::float8, $5::float8, $6::float8)
