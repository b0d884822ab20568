-- Pauses or resumes sending; see set_pause in migrations/000018.traffic.sql.
select :schema.set_pause($1, $2::boolean, $3, $4)::text as has_changed
