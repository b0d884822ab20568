-- Finishes many claims in one commit; see finish_calls in migrations/000014.event-functions.sql.
select :schema.finish_calls($1, $2, $3, $4, $5) as number
