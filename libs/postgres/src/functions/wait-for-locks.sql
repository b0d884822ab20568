-- Lets the next statements of a recording wait for locks for what is left of p_wait_ms. A statement that waits several times may do so each time.
create function :fn.wait_for_locks(p_wait_ms float8)
returns void language plpgsql volatile as $body$
begin
  perform set_config('lock_timeout', greatest(
    2, p_wait_ms - extract(epoch from clock_timestamp() - statement_timestamp()) * 1000)::integer::text, true);
end
$body$;
