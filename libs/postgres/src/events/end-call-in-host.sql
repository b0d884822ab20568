-- Ends the call of a listener in the transaction of the host; see functions/end-call-in-host.sql.
select :fn.end_call_in_host($1::text, $2::text::bigint, $3::text) as result
