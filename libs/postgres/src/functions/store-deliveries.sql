-- Stores many deliveries in one commit and returns those that are not duplicates, with the token of the claim of those that have a
-- lease. All bodies are concatenated in one parameter, which the driver sends as bytes.
create function :fn.store_deliveries(
  p_accounts text[], p_ids text[], p_keys text[], p_kinds text[], p_resources text[], p_resource_ids text[],
  p_verified_by text[], p_from integer[], p_lengths integer[], p_bodies bytea, p_leases float8[], p_traceparents text[], p_token text)
returns table (account text, id text, token text, received_at timestamptz) language plpgsql volatile as $body$
#variable_conflict use_column
declare
  p_moment constant timestamptz := :schema.clock();
begin
  return query
    with given as materialized (
      select * from unnest(
        p_accounts, p_ids, p_keys, p_kinds, p_resources, p_resource_ids, p_verified_by, p_from, p_lengths, p_leases,
        p_traceparents)
        as given(account, id, key, kind, resource, resource_id, verified_by, body_from, body_length, lease_ms, traceparent)
    ), stored as (
      insert into :schema.delivery (account, id, key, kind, resource, resource_id, verified_by, body, traceparent, received_at)
      select account, id, decode(key, 'hex'), kind, resource, resource_id, verified_by,
        substring(p_bodies from body_from for body_length), traceparent, p_moment
      from given
      on conflict (account, key) do nothing
      returning account, id, kind
    ), queued as (
      insert into :schema.queue (lane, account, item, line, due_at, claimed_until, token, attempts)
      select stored.kind, stored.account, stored.id, hashtextextended(stored.account || ' ' || stored.id, 0), p_moment,
        p_moment + lease_ms * interval '1 millisecond', case when lease_ms is not null then p_token end, (lease_ms is not null)::integer
      from stored join given on given.account = stored.account and given.id = stored.id
      returning account, item, place || '.' || token as token
    ), counted as (
      insert into :schema.total_change (account, committed_at, changes)
      select account, p_moment, jsonb_agg(jsonb_build_array('delivery', '', kind, '', '', count, 0, null))
      from (select account, kind, count(*) as count from stored group by account, kind) as of_kind
      group by account
    )
    select account, item, token, p_moment from queued;
end
$body$;
