-- Records operations in the transaction of the caller and returns the result of each, in their order. Those that have no rival, pass none and have no limit are
-- recorded by one statement for each table; each of the others is looked at alone. The locks of a day come first, then those of guards in the
-- order of their keys, so two groups cannot deadlock.
create function :fn.record_together(p_operations jsonb, p_wait_ms float8)
returns text[] language plpgsql volatile as $body$
declare
  p_results text[] := :fn.known_answers(p_operations);
  p_accounts text[];
  p_keys bytea[];
  p_ids text[];
  p_rivals text[] := '{}';
  p_places integer[];
  p_place integer;
  p_moment timestamptz;
begin
  perform :fn.wait_for_locks(p_wait_ms);
  perform :fn.lock_day(account, kind, currency) from (
    select distinct wanted->>'account' as account, wanted->>'kind' as kind, wanted->>'currency' as currency
    from jsonb_array_elements(p_operations) with ordinality as given(wanted, place)
    where p_results[place] is null and wanted ? 'dailyLimitMinor' order by 1, 2, 3) as limited;
  select array_agg(wanted->>'account' order by place), array_agg(decode(key, 'hex') order by place), array_agg(wanted->>'id' order by place)
  into p_accounts, p_keys, p_ids
  from jsonb_array_elements(p_operations) with ordinality as given(wanted, place)
  cross join lateral jsonb_array_elements_text(wanted->'guardKeys') as own(key)
  where p_results[place] is null;
  if p_keys is not null then
    p_rivals := array(select distinct account || ' ' || id from :fn.lock_guards(p_accounts, p_keys, p_ids));
  end if;
  p_places := array(
    select place from jsonb_array_elements(p_operations) with ordinality as given(wanted, place)
    where p_results[place] is null and not wanted ?| '{dailyLimitMinor,approveFromMinor}' and wanted->'besides' = '[]'
      and (wanted->>'account') || ' ' || (wanted->>'id') <> all (p_rivals));
  if p_places <> '{}' then
    p_moment := :schema.clock();
    foreach p_place in array :fn.insert_operations(p_operations, p_places, p_moment) loop
      p_results[p_place] := json_build_object('kind', 'recorded', 'at', extract(epoch from p_moment) * 1000)::text;
    end loop;
  end if;
  for p_place in 1..jsonb_array_length(p_operations) loop
    if p_results[p_place] is null then
      perform :fn.wait_for_locks(p_wait_ms);
      p_results[p_place] := :fn.record_alone(p_operations->(p_place - 1));
    end if;
  end loop;
  return p_results;
end
$body$;
