-- Finishes many claims in one commit; see finish_deliveries in migrations/000013.delivery-functions.sql.
select :schema.finish_deliveries($1, $2, $3, $4, $5) as number
