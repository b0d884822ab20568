-- Makes many changes, each of them completely or not at all; see commit_changes in migrations/000012.ledger-functions.sql.
select :schema.commit_changes($1::jsonb, $2, $3) as result
