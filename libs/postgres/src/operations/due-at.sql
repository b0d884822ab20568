-- Index operation_pkey.
select extract(epoch from due_at) * 1000 as at from :schema.operation where account = $1 and id = $2
