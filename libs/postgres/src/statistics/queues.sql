-- The work that waits now; see functions/queues.sql.
select account, queue, count, oldest_ms from :fn.queues()
