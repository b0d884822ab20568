-- Says whether another transaction of this database holds the lock of hold-in-host.sql.
select (not pg_try_advisory_xact_lock(hashtextextended($1, 0)))::text as is_held
