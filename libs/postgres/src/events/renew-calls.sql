-- Extends the leases of claimed calls; see functions/renew-calls.sql.
select :fn.renew_calls($1, $2, $3) as id
