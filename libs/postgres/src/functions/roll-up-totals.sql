-- Adds at most so many changes to the totals. Returns how many it took, and those
-- that it could not add: one change of one account must not keep those of the others from being added. They are tried again alone, one in a
-- call, an hour later. One process does it at a time; another one returns at once.
create function :fn.roll_up_totals(p_most integer, out taken integer, out refused jsonb)
language plpgsql volatile as $body$
declare
  p_places bigint[];
begin
  taken := 0;
  refused := '[]';
  if not pg_try_advisory_xact_lock(hashtextextended('tillkit:totals::schema', 0)) then
    return;
  end if;
  p_places := array(
    select place from :schema.total_change change where change.refused is null order by place limit p_most);
  taken := cardinality(p_places);
  begin
    perform :fn.add_to_totals(p_places);
    p_places := '{}';
  exception when data_exception or program_limit_exceeded or integrity_constraint_violation then
    -- Some of them: each is tried alone below.
  end;
  p_places := p_places || array(
    select place from :schema.total_change change
    where change.refused_at < :schema.clock() - interval '1 hour' order by refused_at limit 1);
  if p_places <> '{}' then
    select coalesce(jsonb_agg(jsonb_build_object('account', account, 'place', place, 'state', state)), '[]') into refused
    from (
      select account, place, :fn.add_one_to_totals(place) as state from (
        select account, place from :schema.total_change where place = any (p_places) order by place
      ) as each
    ) as tried
    where state is not null;
  end if;
end
$body$;
