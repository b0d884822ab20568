-- Records one operation, alone or in the transaction of the host. The lock_timeout in the header makes PostgreSQL
-- restore the previous value when the function ends.
create function :fn.record_operation(p_operation jsonb, p_wait_ms integer, p_late_ms float8)
returns text language plpgsql volatile
  set enable_seqscan = off set enable_bitmapscan = off set lock_timeout = '3s' as $body$
declare
  p_result text;
begin
  perform set_config('lock_timeout', p_wait_ms::text, true);
  perform :fn.make_durable();
  p_result := :fn.insert_operation(p_operation);
  perform :fn.refuse_late(p_late_ms);
  return p_result;
end
$body$;
