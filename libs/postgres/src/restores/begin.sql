-- See begin_restore in migrations/000019.restores.sql. It reads all operations that are created.
select accounts, operations, extract(epoch from begun_at) * 1000 as begun_at
from :schema.begin_restore(
  to_timestamp($1::float8 / 1000), $2::float8 * interval '1 millisecond', $3::float8 * interval '1 millisecond',
  $4::float8 * interval '1 millisecond', $5::float8 * interval '1 millisecond', $6, $7)
