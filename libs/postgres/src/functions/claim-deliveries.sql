-- Claims due deliveries of many accounts by index delivery_queue_due; the account is only a filter (see
-- claim_due_operations). Each kind has its own order, so that webhooks that wait for a payment do not delay callbacks.
create function :fn.claim_deliveries(p_accounts text[], p_kind text, p_limit integer, p_lease_ms float8)
returns table (
  account text, id text, key bytea, kind text, resource text, resource_id text, verified_by text, body bytea,
  received_at timestamptz, duplicates integer, attempts integer, token text, last_error text, traceparent text,
  due_at timestamptz, place bigint)
language plpgsql volatile
  set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off
  set enable_mergejoin = off set plan_cache_mode = force_custom_plan as $body$
#variable_conflict use_column
declare
  p_now constant timestamptz := :schema.clock();
begin
  perform set_config('synchronous_commit', 'off', true);
  return query
    with due as (
      select place from :schema.delivery_queue
      where account = any (p_accounts) and kind = p_kind and due_at <= p_now
        and (claimed_until is null or claimed_until <= p_now)
      order by due_at, place limit p_limit for no key update skip locked
    ), claimed as (
      update :schema.delivery_queue queue
      set attempts = attempts + 1, token = gen_random_uuid()::text,
        claimed_until = p_now + p_lease_ms * interval '1 millisecond'
      from due where queue.place = due.place
      returning queue.*
    )
    select delivery.account, delivery.id, delivery.key, delivery.kind, delivery.resource, delivery.resource_id,
      delivery.verified_by, delivery.body, delivery.received_at, delivery.duplicates, claimed.attempts,
      claimed.place || '.' || claimed.token, coalesce(claimed.last_error, delivery.last_error), delivery.traceparent,
      claimed.due_at, claimed.place
    from claimed join :schema.delivery on delivery.account = claimed.account and delivery.id = claimed.id;
end
$body$;
