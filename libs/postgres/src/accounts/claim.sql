-- Claims tills and keys for accounts. Parameter: the claims as JSON.
select :schema.claim_accounts($1::jsonb) as conflicts
