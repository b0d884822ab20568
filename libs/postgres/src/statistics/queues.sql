-- What waits now; see queues in migrations/000020.queues.sql.
select account, queue, count, oldest_ms from :schema.queues()
