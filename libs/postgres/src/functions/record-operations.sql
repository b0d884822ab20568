-- Records many operations in one commit and returns a result for each, in their order. The caller sorts them by
-- their guards, so that two groups cannot deadlock. p_wait_ms limits all waits of the group together: it may wait for
-- other groups, but not for a transaction of the host that stays open. With p_drop, an operation that would wait
-- longer is left out with the result 'waits'; each operation then needs a subtransaction, so only the second attempt
-- of a group uses it.
create function :fn.record_operations(p_operations jsonb, p_wait_ms float8, p_late_ms float8, p_drop boolean)
returns setof text language plpgsql volatile
  set enable_seqscan = off set enable_bitmapscan = off set lock_timeout = '3s' as $body$
declare
  p_operation jsonb;
  p_result text;
begin
  perform :fn.make_durable();
  for p_operation in select value from jsonb_array_elements(p_operations) loop
    perform set_config('lock_timeout', greatest(
      2, p_wait_ms - extract(epoch from clock_timestamp() - statement_timestamp()) * 1000)::integer::text, true);
    if p_drop then
      begin
        p_result := :fn.insert_operation(p_operation);
      exception when lock_not_available then
        p_result := '{"kind": "waits"}';
      end;
      return next p_result;
    else
      return next :fn.insert_operation(p_operation);
    end if;
  end loop;
  perform :fn.refuse_late(p_late_ms);
end
$body$;
