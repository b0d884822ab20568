-- Pauses or resumes sending; see functions/set-pause.sql.
select :fn.set_pause($1, $2::boolean, $3, $4)::text as has_changed
