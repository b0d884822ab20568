-- Stores the deliveries that come with changes, and returns those that are not duplicates. In the order of keys, so that two groups
-- cannot deadlock. All bodies are concatenated in one parameter, which the driver sends as bytes.
create function :fn.store_arrived(p_changes jsonb, p_bodies bytea, p_moment timestamptz)
returns text[] language plpgsql volatile as $body$
declare
  p_stored text[];
begin
  with stored as (
    insert into :schema.delivery (account, id, key, kind, resource, resource_id, verified_by, body, traceparent, received_at)
    select given.account, given.id, decode(given.key, 'hex'), given.kind, given.resource, given."resourceId", given."verifiedBy",
      substring(p_bodies from given.from for given.length), given.traceparent, p_moment
    from jsonb_array_elements(p_changes) as changes(change)
    cross join lateral jsonb_to_record(change->'delivery') as given(
      account text, id text, key text, kind text, resource text, "resourceId" text, "verifiedBy" text, "from" integer, length integer, traceparent text)
    where jsonb_typeof(change->'delivery') = 'object'
    order by given.key
    on conflict (account, key) do nothing
    returning account, id, kind
  ), counted as (
    insert into :schema.total_change (account, committed_at, changes)
    select account, p_moment, jsonb_agg(jsonb_build_array('delivery', '', kind, '', '', count, 0, null))
    from (select account, kind, count(*) as count from stored group by account, kind) as of_kind
    group by account
  )
  select coalesce(array_agg(account || ' ' || id), '{}') into p_stored from stored;
  return p_stored;
end
$body$;
