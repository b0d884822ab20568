-- Extends the leases of claims; see functions/renew-claims.sql.
select :fn.renew_claims($1, $2, $3) as place
