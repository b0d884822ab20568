-- Finishes many claims in one commit; see functions/finish-deliveries.sql.
select :fn.finish_deliveries($1, $2, $3, $4, $5) as number
