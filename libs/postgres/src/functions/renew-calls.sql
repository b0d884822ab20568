-- Extends the leases of calls and returns the ids of those whose claim was still valid.
create function :fn.renew_calls(p_ids bigint[], p_tokens text[], p_lease_ms float8)
returns setof bigint language plpgsql volatile
  set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  p_now constant timestamptz := :schema.clock();
begin
  perform set_config('synchronous_commit', 'off', true);
  return query
    update :schema.call set claimed_until = p_now + p_lease_ms * interval '1 millisecond'
    from unnest(p_ids, p_tokens) as given(id, token)
    where call.id = given.id and call.token = given.token and call.state || '' = 'pending'
    returning call.id;
end
$body$;
