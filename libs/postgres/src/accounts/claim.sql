-- Claims tills and keys for accounts. Parameters: the claims as JSON, and milliseconds.
select :schema.claim_accounts($1::jsonb, $2::float8) as conflicts
