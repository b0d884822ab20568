-- Extends the leases of claims and returns the places of those that were still valid.
create function :fn.renew_claims(p_places bigint[], p_tokens text[], p_lease_ms float8)
returns setof bigint language plpgsql volatile
  set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  p_now constant timestamptz := :schema.clock();
begin
  perform set_config('synchronous_commit', 'off', true);
  return query
    update :schema.queue set claimed_until = p_now + p_lease_ms * interval '1 millisecond'
    from unnest(p_places, p_tokens) as given(place, token)
    where queue.place = any (p_places) and queue.place = given.place and queue.token = given.token
    returning queue.place;
end
$body$;
