-- Stores many deliveries in one commit; see store_deliveries in migrations/000013.delivery-functions.sql.
select account, id, token, extract(epoch from received_at) * 1000 as received_at
from :schema.store_deliveries($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
