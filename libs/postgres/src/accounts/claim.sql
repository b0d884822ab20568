-- Claims tills and keys for accounts. Parameter: the claims as JSON.
select :fn.claim_accounts($1::jsonb) as conflicts
