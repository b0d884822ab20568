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
create function :fn.look_for_work(
  p_background text[], p_all_but_background boolean, p_reconciled text[], p_all_but_reconciled boolean, p_within_ms float8)
returns table (kind text, accounts text[], listener text, is_due boolean, next_ms float8)
language plpgsql stable
  set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off
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
      from :schema.operation_queue
      where (account = any (p_reconciled)) <> p_all_but_reconciled and followed = false and due_at <= p_until
      order by due_at, id limit p_most)
      union all
      (select 'followed', account, null, greatest(due_at, claimed_until)
      from :schema.operation_queue
      where (account = any (p_reconciled)) <> p_all_but_reconciled and followed = true and due_at <= p_until
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
