-- Takes an operation that is not recorded out of the rows of what it would guard.
create function :fn.leave_guards(p_account text, p_keys bytea[], p_id text)
returns void language plpgsql volatile as $body$
begin
  delete from :schema.operation_guard
  where key = any (p_keys) and account || '' = p_account and holders <@ array[p_id];
  update :schema.operation_guard set holders = array_remove(holders, p_id)
  where key = any (p_keys) and account || '' = p_account;
end
$body$;
