-- Ends what restores pause; see resume_restores in migrations/000019.restores.sql.
select :schema.resume_restores($1, $2, to_timestamp($3::float8 / 1000), $4, $5)::text as has_changed
