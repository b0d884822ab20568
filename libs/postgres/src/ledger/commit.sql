-- Makes many changes, each of them completely or not at all; see functions/commit-changes.sql.
select :fn.commit_changes($1::jsonb, $2, $3) as result
