-- The id of the transaction in which this statement runs; see functions/record-in-host.sql.
select pg_current_xact_id()::text as result
