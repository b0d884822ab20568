-- Finishes many claims in one commit; see functions/finish-claims.sql.
select :fn.finish_claims($1, $2, $3, $4, $5) as number
