-- Holds a lock until the transaction of the host ends. Locks of this kind belong to one database of one server; see is-held.sql.
select case when pg_current_xact_id()::text <> $1::text then 'outside'
  when pg_try_advisory_xact_lock(hashtextextended($2::text, 0)) then 'held' else 'not held' end as result
