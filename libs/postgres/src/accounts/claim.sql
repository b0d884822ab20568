-- Claims tills and keys for accounts. Parameters: the claims as JSON, milliseconds, and whether the accounts give up everything else.
select :schema.claim_accounts($1::jsonb, $2::float8, $3) as conflicts
