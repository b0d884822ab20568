-- Records many operations in one commit, or one alone or in the transaction of the host, and returns a result for each, in their
-- order. One with a mark is recorded as 'requested', because it is sent at once. p_wait_ms limits the waits (see wait_for_locks): a group may
-- wait for other groups, but not for a transaction of the host that stays open. With p_drop, an operation that would wait longer is left out
-- with the result 'waits'; each operation then needs a subtransaction, so only the second attempt of a group uses it. The lock_timeout in
-- the header makes PostgreSQL restore the previous value when the function ends.
create function :fn.record_operations(p_operations jsonb, p_wait_ms float8, p_late_ms float8, p_drop boolean)
returns setof text language plpgsql volatile
  set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan
  set lock_timeout = '3s' as $body$
declare
  p_operation jsonb;
  p_results text[];
begin
  perform :fn.make_durable();
  if p_operations @? '$[*].mark' then
    perform :fn.wait_for_locks(p_wait_ms);
    perform :fn.lock_sending(array(select value->>'account' from jsonb_array_elements(p_operations) where value ? 'mark'));
  end if;
  if not p_drop then
    return query select unnest(:fn.record_together(p_operations, p_wait_ms));
  else
    for p_operation in select value from jsonb_array_elements(p_operations) loop
      begin
        p_results := :fn.record_together(jsonb_build_array(p_operation), p_wait_ms);
      exception when lock_not_available then
        p_results := '{"{\"kind\": \"waits\"}"}';
      end;
      return next p_results[1];
    end loop;
  end if;
  -- Its caller may have given up, and must not find a payment later that it believes was not recorded.
  if clock_timestamp() - statement_timestamp() > p_late_ms * interval '1 millisecond' then
    raise exception 'recording took longer than % ms, so nothing was recorded', p_late_ms using errcode = 'query_canceled';
  end if;
end
$body$;
