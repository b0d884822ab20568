-- Reserves turns of background requests; see reserve_turns in migrations/000018.traffic.sql.
select turns, in_ms
from :schema.reserve_turns($1, $2, $3::integer, $4::float8, $5::float8, $6::float8)
