-- Extends the leases of claimed calls; see renew_calls in migrations/000014.event-functions.sql.
select :schema.renew_calls($1, $2, $3) as id
