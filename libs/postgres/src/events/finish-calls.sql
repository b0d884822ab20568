-- Finishes many claims in one commit; see functions/finish-calls.sql.
select :fn.finish_calls($1, $2, $3, $4, $5) as number
