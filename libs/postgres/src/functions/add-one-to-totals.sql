-- Adds what one commit changes. If that is not possible, each of its changes is tried alone, the next time; one that is alone stays aside. Null
-- when none stayed, else why.
create function :fn.add_one_to_totals(p_place bigint)
returns text language plpgsql volatile as $body$
begin
  perform :fn.add_to_totals(array[p_place]);
  return null;
exception when data_exception or program_limit_exceeded or integrity_constraint_violation then
  with several as (
    delete from :schema.total_change where place = p_place and jsonb_array_length(changes) > 1
    returning account, committed_at, changes
  )
  insert into :schema.total_change (account, committed_at, changes)
  select account, committed_at, jsonb_build_array(change) from several cross join lateral jsonb_array_elements(changes) as each(change);
  if found then
    return null;
  end if;
  update :schema.total_change set refused = sqlstate, refused_at = :schema.clock() where place = p_place;
  return sqlstate;
end
$body$;
