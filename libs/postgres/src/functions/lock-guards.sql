-- Writes operations into the rows of what they guard, in the order of the keys, which locks them until the transaction ends. The arrays have one
-- element for each operation and key. Returns the other operations that have a key of each.
create function :fn.lock_guards(p_accounts text[], p_keys bytea[], p_ids text[])
returns table (account text, id text, holder text) language plpgsql volatile as $body$
#variable_conflict use_column
begin
  -- One statement inserts a row or writes it. Between two statements, retention could delete a row that is not locked yet.
  return query
    with given as materialized (
      select account, key, array_agg(id order by place) as ids
      from unnest(p_accounts, p_keys, p_ids) with ordinality as given(account, key, id, place)
      group by account, key
    ), locked as (
      insert into :schema.operation_guard as guard (account, key, holders)
      select account, key, ids from given order by key, account
      on conflict (key, account) do update
        set holders = array(select earlier from unnest(guard.holders) as earlier where earlier <> all (excluded.holders)) || excluded.holders
      returning account, key, holders
    )
    select distinct account, own, other from given join locked using (account, key)
    cross join unnest(ids) as own cross join unnest(holders) as other
    where other <> own;
end
$body$;
