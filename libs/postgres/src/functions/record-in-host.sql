-- Records one operation in the transaction of the host, and returns the result as one text, because all libraries can read that. An operation that exists comes
-- with its row, each column as text: only this transaction may see it. p_transaction is the id of the transaction in which the host's statement
-- before this one ran; if this one runs in another, the host gave us no transaction, and nothing is written. An operation that
-- would wait for too long is left out with the result 'waits', so that the transaction of the host can go on.
create function :fn.record_in_host(p_transaction text, p_operation jsonb, p_wait_ms float8, p_late_ms float8)
returns text language plpgsql volatile as $body$
declare
  p_result jsonb;
begin
  if pg_current_xact_id()::text <> p_transaction then
    return 'outside';
  end if;
  p_result := (select result::jsonb from :fn.record_operations(jsonb_build_array(p_operation), p_wait_ms, p_late_ms, true) as recorded(result));
  if p_result->>'kind' = 'existing' then
    return p_result || jsonb_build_object('row', (
      select jsonb_object_agg(key, value)
      from :schema.operation_row
      cross join lateral jsonb_each_text(to_jsonb(operation_row) || jsonb_build_object('now', extract(epoch from :schema.clock()) * 1000))
      where account = p_operation->>'account' and id = p_result->>'id'));
  end if;
  return p_result;
end
$body$;
