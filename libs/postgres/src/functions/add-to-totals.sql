-- Adds changes to the totals, and deletes them.
create function :fn.add_to_totals(p_places bigint[])
returns void language sql volatile as $body$
  with taken as (
    delete from :schema.total_change where place = any (p_places)
    returning account, committed_at, changes
  ), quarter as materialized (
    -- By quarters first: they are few, and each begins in one hour and in one day.
    select account, measure, :fn.beginning(at, 15) as begins_at, kind, name, till, currency, sum(count) as count, sum(minor) as minor
    from taken cross join lateral :fn.total_entries(committed_at, changes)
    group by account, measure, :fn.beginning(at, 15), kind, name, till, currency
  )
  insert into :schema.total as total (account, measure, minutes, begins_at, kind, name, till, currency, count, minor)
  select account, measure, minutes, :fn.beginning(begins_at, minutes), kind, name, till, currency, sum(count), sum(minor)
  from quarter cross join (values (15), (60), (1440)) as length(minutes)
  group by account, measure, minutes, :fn.beginning(begins_at, minutes), kind, name, till, currency
  on conflict (account, measure, minutes, begins_at, kind, name, till, currency)
    do update set count = total.count + excluded.count, minor = total.minor + excluded.minor
$body$;
