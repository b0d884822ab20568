-- Adds one change; if that is not possible, it stays aside. Null when it was added, else why not.
create function :fn.add_one_to_totals(p_place bigint)
returns text language plpgsql volatile as $body$
begin
  perform :fn.add_to_totals(array[p_place]);
  return null;
exception when data_exception or program_limit_exceeded or integrity_constraint_violation then
  update :schema.total_change set refused = sqlstate, refused_at = :schema.clock() where place = p_place;
  return sqlstate;
end
$body$;
