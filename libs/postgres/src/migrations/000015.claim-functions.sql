-- Claiming due work: operations, deliveries and listener calls. For the settings of the functions see operation-functions.

-- Claims due operations of many accounts in the order of an index: operation_due, or operation_followed if p_followed.
-- They are two statements because each repeats the condition of its partial index. The account is only a filter: the
-- processes of an application name all its accounts, so the scan skips few rows. An operation that is only recorded gets
-- the shorter lease p_send_lease_ms: if the replica stops, another one can still send the operation before send_before.
--
-- The settings leave only index scans in index order, and PostgreSQL makes a new plan for each call. Between two
-- vacuums a queue has many index entries of dead rows. A bitmap scan, a sort or a hash join reads all of them at each
-- claim; an ordered index scan stops at the limit and marks them as dead. A lease that is lost in a crash of the
-- server counts as expired, so the claim does not wait for the disk (synchronous_commit).
create function :schema.claim_due_operations(
  p_accounts text[], p_followed boolean, p_limit integer, p_lease_ms float8, p_send_lease_ms float8)
returns setof :schema.operation_row language plpgsql volatile
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off
  set enable_mergejoin = off set plan_cache_mode = force_custom_plan as $body$
declare
  p_now constant timestamptz := :schema.clock();
  p_claimed_accounts text[];
  p_claimed_ids text[];
begin
  perform set_config('synchronous_commit', 'off', true);
  if p_followed then
    with due as (
      select account, id from :schema.operation
      where account = any (p_accounts) and state in ('needs_review', 'failed', 'partially_succeeded')
        and due_at <= p_now and (claimed_until is null or claimed_until <= p_now)
      order by due_at, id limit p_limit for no key update skip locked
    ), claimed as (
      update :schema.operation set due_once_more = false, claimed_until = p_now + p_lease_ms * interval '1 millisecond'
      from due where operation.account = due.account and operation.id = due.id
      returning operation.account, operation.id
    )
    select array_agg(account), array_agg(id) into p_claimed_accounts, p_claimed_ids from claimed;
  else
    with due as (
      select account, id from :schema.operation
      where account = any (p_accounts) and state in ('created', 'requested', 'pending', 'unknown')
        and due_at <= p_now and (claimed_until is null or claimed_until <= p_now)
      order by due_at, id limit p_limit for no key update skip locked
    ), claimed as (
      update :schema.operation set due_once_more = false, claimed_until = p_now + interval '1 millisecond'
        * case operation.state when 'created' then p_send_lease_ms else p_lease_ms end
      from due where operation.account = due.account and operation.id = due.id
      returning operation.account, operation.id
    )
    select array_agg(account), array_agg(id) into p_claimed_accounts, p_claimed_ids from claimed;
  end if;
  if p_claimed_ids is not null then
    -- By account and id together: another account may have an operation with the same id.
    return query
      select operation_row.* from unnest(p_claimed_accounts, p_claimed_ids) as claimed(account, id)
      join :schema.operation_row on operation_row.account = claimed.account and operation_row.id = claimed.id;
  end if;
end
$body$;

-- Claims due deliveries of many accounts by index delivery_queue_due; the account is only a filter (see
-- claim_due_operations). Each kind has its own order, so that webhooks that wait for a payment do not delay callbacks.
create function :schema.claim_deliveries(p_accounts text[], p_kind text, p_limit integer, p_lease_ms float8)
returns table (
  account text, id text, key bytea, kind text, resource text, resource_id text, verified_by text, body bytea,
  received_at timestamptz, duplicates integer, attempts integer, token text, last_error text, traceparent text,
  due_at timestamptz, place bigint)
language plpgsql volatile
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off
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

-- Claims due calls by index call_due, one account and listener after the other until p_limit is reached, so calls of
-- listeners that no process has any more cost nothing. p_wanted names accounts and their listeners, and the most that each
-- may have: one that is slow must leave room for the others. Only the first pending call of a stream (index call_line) can
-- be claimed: a listener receives the events of one stream in order.
create function :schema.claim_calls(p_wanted jsonb, p_limit integer, p_lease_ms float8)
returns table (
  id bigint, account text, token text, listener text, event_id text, attempts integer, event text, stream text,
  payload jsonb, traceparent text)
language plpgsql volatile
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off
  set enable_mergejoin = off set plan_cache_mode = force_custom_plan as $body$
#variable_conflict use_column
declare
  p_now constant timestamptz := :schema.clock();
begin
  perform set_config('synchronous_commit', 'off', true);
  return query
    with due as (
      select of_account.id
      from jsonb_to_recordset(p_wanted) as wanted(account text, most integer, listeners jsonb)
      cross join lateral (
        select of_listener.id
        from jsonb_to_recordset(wanted.listeners) as own(id text, most integer)
        cross join lateral (
          select call.id from :schema.call
          where call.account = wanted.account and call.listener = own.id and call.state = 'pending'
            and call.due_at <= p_now and (call.claimed_until is null or call.claimed_until <= p_now)
            and call.id = (
              select line.id from :schema.call line
              where line.account = wanted.account and line.listener = own.id
                and line.stream_key = call.stream_key and line.state = 'pending'
              order by line.id limit 1)
          order by call.due_at, call.id limit own.most for no key update of call skip locked
        ) of_listener
        limit wanted.most
      ) of_account
      limit p_limit
    ), claimed as (
      update :schema.call
      set attempts = attempts + 1, token = gen_random_uuid()::text,
        claimed_until = p_now + p_lease_ms * interval '1 millisecond'
      from due where call.id = due.id
      returning call.id, call.account, call.token, call.listener, call.event_id, call.attempts
    )
    select claimed.id, claimed.account, claimed.token, claimed.listener, claimed.event_id, claimed.attempts, event.name,
      event.stream, event.payload, event.traceparent
    from claimed join :schema.event on event.account = claimed.account and event.id = claimed.event_id;
end
$body$;

-- Says for each kind of work, and for each listener, whether something can be claimed now, and in how many milliseconds more
-- becomes due or a claim ends (null: not within p_within_ms), and which accounts have it. There is no row where nothing waits. Accounts are
-- given as a list and a flag: the accounts of the list, or, if the flag is true, all others. A process asks every few
-- seconds, and then claims only what it found.
--
-- Each kind has one ordered index scan, which ends at p_most rows: neither what waits for later nor a long queue is read.
-- When so many rows are due, only a claim shows whether one of them is free. Calls are found by account and listener
-- (index call_due); the recursion jumps from one pair that has waiting calls to the next, so accounts and listeners without
-- any cost nothing. Only the first pending call of a stream can be claimed (see claim_calls). The plan is made once for a
-- connection: with these settings it can only walk the indexes of the claims, and planning would cost more than running.
create function :schema.look_for_work(
  p_background text[], p_all_but_background boolean, p_reconciled text[], p_all_but_reconciled boolean, p_within_ms float8)
returns table (kind text, accounts text[], listener text, is_due boolean, next_ms float8)
language plpgsql stable
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off
  set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $body$
#variable_conflict use_column
declare
  p_most constant integer := 20;
  p_now constant timestamptz := :schema.clock();
  p_until constant timestamptz := p_now + p_within_ms * interval '1 millisecond';
begin
  return query
    with recursive pair as (
      (select account, listener from :schema.call where state = 'pending' order by account, listener limit 1)
      union all
      select following.account, following.listener
      from pair cross join lateral (
        select account, listener from :schema.call
        where state = 'pending' and (account, listener) > (pair.account, pair.listener)
        order by account, listener limit 1) following
    ), waiting as (
      (select 'callbacks' as kind, account, null as listener, greatest(due_at, claimed_until) as free_at
      from :schema.delivery_queue
      where (account = any (p_background)) <> p_all_but_background and kind = 'callback' and due_at <= p_until
      order by due_at, place limit p_most)
      union all
      (select 'webhooks', account, null, greatest(due_at, claimed_until)
      from :schema.delivery_queue
      where (account = any (p_background)) <> p_all_but_background and kind = 'webhook' and due_at <= p_until
      order by due_at, place limit p_most)
      union all
      (select 'open', account, null, greatest(due_at, claimed_until)
      from :schema.operation
      where (account = any (p_reconciled)) <> p_all_but_reconciled and state in ('created', 'requested', 'pending', 'unknown') and due_at <= p_until
      order by due_at, id limit p_most)
      union all
      (select 'followed', account, null, greatest(due_at, claimed_until)
      from :schema.operation
      where (account = any (p_reconciled)) <> p_all_but_reconciled and state in ('needs_review', 'failed', 'partially_succeeded')
        and due_at <= p_until
      order by due_at, id limit p_most)
      union all
      (select kind, account, null, due_at
      from :schema.planned_work
      where kind = 'sweep' and (account = any (p_reconciled)) <> p_all_but_reconciled and due_at <= p_until
      order by due_at limit p_most)
      union all
      (select kind, account, null, due_at
      from :schema.planned_work
      where kind = 'retention' and (account = any (p_background)) <> p_all_but_background and due_at <= p_until
      order by due_at limit p_most)
      union all
      select 'calls', pair.account, pair.listener, of_pair.free_at
      from pair cross join lateral (
        select case when call.id = (
            select line.id from :schema.call line
            where line.account = pair.account and line.listener = pair.listener and line.stream_key = call.stream_key
              and line.state = 'pending'
            order by line.id limit 1)
          then greatest(call.due_at, call.claimed_until) else 'infinity' end as free_at
        from :schema.call
        where call.account = pair.account and call.listener = pair.listener and call.state = 'pending'
          and call.due_at <= p_until
        order by call.due_at, call.id limit p_most) of_pair
      where (pair.account = any (p_background)) <> p_all_but_background
    )
    select kind, array_agg(account), listener, bool_or(free_at <= p_now) or count(*) = p_most,
      (extract(epoch from min(free_at) filter (where free_at > p_now and free_at <= p_until) - p_now) * 1000)::float8
    from waiting group by kind, case when listener is not null then account end, listener;
end
$body$;
