-- Claims tills and keys for an account. Parameters: account, tills, hashes of the keys, whether it lists its tills, milliseconds.
select :schema.claim_account($1::text, $2::text[], $3::text[], $4::boolean, $5::float8) as conflicts
