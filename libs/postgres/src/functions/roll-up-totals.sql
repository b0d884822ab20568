-- Adds at most so many changes to the totals, and counts the deliveries of quarters that are over. Returns how many changes it took, and those
-- that it could not add: one change of one account must not keep those of the others from being added. They are tried again alone, one in a
-- call, an hour later. One process does it at a time; another one returns at once.
create function :fn.roll_up_totals(p_most integer, out taken integer, out refused jsonb)
language plpgsql volatile as $body$
declare
  p_places bigint[];
  p_from timestamptz;
  p_until timestamptz;
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

  -- A delivery that is stored later than a minute after its arrival would not be counted: its statement has given up long before.
  select deliveries_until into p_from from :schema.total_progress;
  if p_from is null then
    select :fn.beginning(coalesce(min(received_at), :schema.clock()), 15) into p_from from :schema.delivery;
    insert into :schema.total_progress (deliveries_until) values (p_from);
  end if;
  p_until := least(:fn.beginning(:schema.clock() - interval '1 minute', 15), p_from + interval '1 day');
  if p_until > p_from then
    insert into :schema.total as total (account, measure, minutes, begins_at, kind, name, till, currency, count, minor)
    select account, 'delivery', minutes, :fn.beginning(received_at, minutes), '', kind, '', '', count(*), 0
    from :schema.delivery cross join (values (15), (60), (1440)) as length(minutes)
    where received_at >= p_from and received_at < p_until
    group by account, minutes, :fn.beginning(received_at, minutes), kind
    on conflict (account, measure, minutes, begins_at, kind, name, till, currency)
      do update set count = total.count + excluded.count;
    update :schema.total_progress set deliveries_until = p_until;
  end if;
end
$body$;
