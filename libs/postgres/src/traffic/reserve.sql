-- Reserves turns of background requests; see reserve_turns in migrations/000018.traffic.sql.
select turns, in_ms, may_ask_again::text as may_ask_again
from :schema.reserve_turns($1, $2, $3::integer, $4::float8, $5::float8, $6::float8)
