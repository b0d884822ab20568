-- Writes an operation into the rows of what it guards, in the order of the keys, which locks them until the transaction ends. Returns the other
-- operations that have a key.
create function :fn.lock_guards(p_account text, p_keys bytea[], p_id text)
returns text[] language plpgsql volatile as $body$
declare
  p_holders text[];
begin
  -- One statement inserts a row or writes it. Between two statements, retention could delete a row that is not locked yet.
  with locked as (
    insert into :schema.operation_guard (account, key, holders)
    select p_account, key, array[p_id] from unnest(p_keys) as given(key) order by key
    on conflict (key, account) do update
      set holders = array_remove(operation_guard.holders, p_id) || p_id
    returning holders
  )
  select array_agg(holder) into p_holders from locked, unnest(holders) as holder where holder <> p_id;
  return coalesce(p_holders, '{}');
end
$body$;
