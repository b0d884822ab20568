-- Claims what is due in lanes of the queue by index queue_due, one lane after the other until p_limit is reached, so that lanes which no
-- process has any more cost nothing. p_wanted has groups of lanes; each lane and each group has the most that it may have: a listener that is
-- slow must leave room for the others. Only the first of a line (index queue_line) can be claimed: a listener receives the events of one
-- stream in order. The methods of one class receive the outcomes of one stream in order too. Lanes of many accounts have what has been due longest first: there the account is only a filter (see claim_due_operations).
-- A token that is still there is of a claim whose outcome was never stored. It may have done nothing, because its answer was lost or its process
-- died: the next claim takes over its attempt, so that work which was never done is not given up.
create function :fn.claim_due_work(p_wanted jsonb, p_accounts text[], p_limit integer, p_lease_ms float8)
returns table (
  place bigint, due_at timestamptz, account text, item text, listener text, token text, attempts integer, last_error text, is_late boolean,
  delivery :schema.delivery, event :schema.event)
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
      select of_group.place
      from jsonb_to_recordset(p_wanted) as wanted(most integer, lanes jsonb)
      cross join lateral (
        select of_lane.place
        from jsonb_to_recordset(wanted.lanes) as own(lane text, most integer)
        cross join lateral (
          select queue.place from :schema.queue
          where queue.lane = own.lane and (p_accounts is null or queue.account = any (p_accounts))
            and queue.due_at <= p_now and (queue.claimed_until is null or queue.claimed_until <= p_now)
            and queue.place = (
              select first.place from :schema.queue first
              where first.line = queue.line and first.lane = own.lane
              order by first.place limit 1)
            and (queue.class is null or (
              select other.place from :schema.queue other
              where other.line = queue.line and other.lane > 'call ' and other.lane < 'call!' and other.class = queue.class
                and other.place < queue.place and other.item <> queue.item
              limit 1) is null)
          order by queue.due_at, queue.place limit own.most for no key update of queue skip locked
        ) of_lane
        limit wanted.most
      ) of_group
      limit p_limit
    ), claimed as (
      update :schema.queue
      set attempts = attempts + (token is null)::integer, token = gen_random_uuid()::text,
        claimed_until = p_now + p_lease_ms * interval '1 millisecond'
      from due where queue.place = due.place
      returning queue.*
    )
    select claimed.place, claimed.due_at, claimed.account, claimed.item, claimed.listener, claimed.place || '.' || claimed.token,
      claimed.attempts, claimed.last_error, claimed.is_late, delivery, event
    from claimed
    left join :schema.delivery on delivery.account = claimed.account and delivery.id = claimed.item and claimed.listener is null
    left join :schema.event on event.account = claimed.account and event.id = claimed.item and claimed.listener is not null;
end
$body$;
