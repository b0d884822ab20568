-- Index operation_queue_pkey.
select extract(epoch from nullif(due_at, 'infinity')) * 1000 as at from :schema.operation_queue where account = $1 and id = $2
