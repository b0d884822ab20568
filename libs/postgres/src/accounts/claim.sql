-- Reserves tills and keys for accounts. Parameter: what each wants, as JSON.
select :fn.claim_accounts($1::jsonb) as conflicts
