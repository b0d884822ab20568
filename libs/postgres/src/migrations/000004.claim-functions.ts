/**
 * Claims: the first that are due, for one claimer, in one statement each.
 *
 * They may only ever walk an index in its order. A queue is empty one moment and long the next, and between two vacuums
 * it is full of entries of rows that are done: what the planner last knew of it is wrong, and its other ways (a bitmap, a
 * sort, a hash) look at every one of those entries at each claim. Walking the index stops at the limit, and marks the
 * entries of dead rows so that the next claim skips them. So the other ways are switched off here, and each claim is
 * planned anew, by the size that its tables have now.
 *
 * The lease is no indexed column: claiming writes no index. A claim that is lost in a crash of the server is a claim that
 * ran out, so it does not wait for the disk (\`synchronous_commit\`, of that transaction only).
 */
const WALKS_INDEXES = `
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off
  set enable_mergejoin = off set plan_cache_mode = force_custom_plan`;

export const CLAIM_FUNCTIONS = `
-- Index payment_due, or payment_followed: two statements, each in the words of its own partial index. What is only recorded
-- has a lease of its own, shorter than the time in which it may be sent: a replica that dies leaves it to another in time.
create function :schema.claim_due_payments(
  p_account text, p_followed boolean, p_limit integer, p_lease_ms float8, p_send_lease_ms float8)
returns setof :schema.payment language plpgsql volatile ${WALKS_INDEXES} as $body$
declare
  p_now constant timestamptz := :schema.clock();
begin
  perform set_config('synchronous_commit', 'off', true);
  if p_followed then
    return query
      with due as (
        select account, id from :schema.payment
        where account = p_account and state in ('needs_review', 'failed')
          and due_at <= p_now and (claimed_until is null or claimed_until <= p_now)
        order by due_at, id limit p_limit for no key update skip locked
      )
      update :schema.payment payment set look_again = false, claimed_until = p_now + p_lease_ms * interval '1 millisecond'
      from due where payment.account = due.account and payment.id = due.id
      returning payment.*;
  else
    return query
      with due as (
        select account, id from :schema.payment
        where account = p_account and state in ('created', 'requested', 'pending', 'unknown')
          and due_at <= p_now and (claimed_until is null or claimed_until <= p_now)
        order by due_at, id limit p_limit for no key update skip locked
      )
      update :schema.payment payment set look_again = false, claimed_until = p_now + interval '1 millisecond'
        * case payment.state when 'created' then p_send_lease_ms else p_lease_ms end
      from due where payment.account = due.account and payment.id = due.id
      returning payment.*;
  end if;
end
$body$;

-- Index delivery_queue_due. A line for each kind: webhooks that wait for a payment hold up no callback.
create function :schema.claim_deliveries(p_account text, p_kind text, p_limit integer, p_lease_ms float8)
returns table (
  account text, id text, key bytea, kind text, resource text, resource_id text, verified_by text, body bytea,
  received_at timestamptz, redeliveries integer, attempts integer, token text, last_error text, place bigint)
language plpgsql volatile ${WALKS_INDEXES} as $body$
#variable_conflict use_column
declare
  p_now constant timestamptz := :schema.clock();
begin
  perform set_config('synchronous_commit', 'off', true);
  return query
    with due as (
      select place from :schema.delivery_queue
      where account = p_account and kind = p_kind and due_at <= p_now
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
      delivery.verified_by, delivery.body, delivery.received_at, delivery.redeliveries, claimed.attempts,
      claimed.place || '.' || claimed.token, coalesce(claimed.last_error, delivery.last_error), claimed.place
    from claimed join :schema.delivery delivery on delivery.account = claimed.account and delivery.id = claimed.id;
end
$body$;

-- One listener after the other, index call_due, until there are enough: calls of a listener that no process has any more
-- cost nothing. Only the first of a line (index call_line) may be claimed: a listener hears one stream in order.
create function :schema.claim_calls(
  p_account text, p_listeners text[], p_most integer[], p_limit integer, p_lease_ms float8)
returns table (
  id bigint, account text, token text, listener text, event_id text, attempts integer, event text, stream text,
  payload jsonb)
language plpgsql volatile ${WALKS_INDEXES} as $body$
#variable_conflict use_column
declare
  p_now constant timestamptz := :schema.clock();
begin
  perform set_config('synchronous_commit', 'off', true);
  return query
    with due as (
      select first.id
      from unnest(p_listeners, p_most) as mine(listener, most)
      cross join lateral (
        select call.id from :schema.call call
        where call.account = p_account and call.listener = mine.listener and call.state = 'pending'
          and call.due_at <= p_now and (call.claimed_until is null or call.claimed_until <= p_now)
          and call.id = (
            select line.id from :schema.call line
            where line.account = p_account and line.listener = mine.listener and line.stream_key = call.stream_key
              and line.state = 'pending'
            order by line.id limit 1)
        order by call.due_at, call.id limit least(mine.most, p_limit) for no key update of call skip locked
      ) first
      limit p_limit
    ), claimed as (
      update :schema.call call
      set attempts = attempts + 1, token = gen_random_uuid()::text,
        claimed_until = p_now + p_lease_ms * interval '1 millisecond'
      from due where call.id = due.id
      returning call.id, call.account, call.token, call.listener, call.event_id, call.attempts
    )
    select claimed.id, claimed.account, claimed.token, claimed.listener, claimed.event_id, claimed.attempts, event.name,
      event.stream, event.payload
    from claimed join :schema.event event on event.account = claimed.account and event.id = claimed.event_id;
end
$body$;
`;
