-- What waits now; see queues in migrations/000019.queues.sql.
select account, queue, count, oldest_ms from :schema.queues()
