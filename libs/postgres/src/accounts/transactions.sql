-- The end of a snapshot follows the last transaction that has ended: one that runs now may have that very number. A new number is higher than
-- that of every transaction that has written.
select pg_snapshot_xmin(pg_current_snapshot())::text as oldest, pg_current_xact_id()::text as next
