-- Stores many deliveries in one commit; see functions/store-deliveries.sql.
select account, id, token, extract(epoch from received_at) * 1000 as received_at
from :fn.store_deliveries($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
