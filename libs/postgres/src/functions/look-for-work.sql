-- Says for each kind of work, and for each listener, whether something can be claimed now, and in how many milliseconds more
-- becomes due or a claim ends (null: not within p_within_ms), and which accounts have it. There is no row where nothing waits. Accounts are
-- given as a list and a flag: the accounts of the list, or, if the flag is true, all others. A process asks every few
-- seconds, and then claims only what it found.
--
-- Each lane has one ordered index scan, which ends at p_most rows: neither what waits for later nor a long queue is read.
-- When so many rows are due, only a claim shows whether one of them is free. The recursion jumps from one listener that has waiting calls to the
-- next, so accounts and listeners without any cost nothing. Only the first of a line can be claimed (see claim_due_work). The plan is made
-- once for a connection: with these settings it can only walk the indexes of the claims, and planning would cost more than running.
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
    with recursive call_lane as (
      (select lane from :schema.queue where lane > 'call ' and lane < 'call!' order by lane limit 1)
      union all
      select following.lane
      from call_lane cross join lateral (
        select lane from :schema.queue where lane > call_lane.lane and lane < 'call!' order by lane limit 1) following
    ), own_lane as (
      select lane, true as is_of_all from (values ('callback'), ('webhook'), ('sweep'), ('retention')) as shared(lane)
      union all
      select lane, false from call_lane where (split_part(lane, ' ', 2) = any (p_background)) <> p_all_but_background
    ), waiting as (
      select own_lane.lane, account, listener, free_at
      from own_lane cross join lateral (
        select account, listener, case when place = (
            select first.place from :schema.queue first
            where first.line = queue.line and first.lane = own_lane.lane
            order by first.place limit 1)
            and (class is null or (
              select other.place from :schema.queue other
              where other.line = queue.line and other.lane > 'call ' and other.lane < 'call!' and other.class = queue.class
                and other.place < queue.place and other.item <> queue.item
              limit 1) is null)
          then greatest(due_at, claimed_until) else 'infinity' end as free_at
        from :schema.queue
        where queue.lane = own_lane.lane and due_at <= p_until and (not is_of_all
          or case own_lane.lane when 'sweep' then (account = any (p_reconciled)) <> p_all_but_reconciled
            else (account = any (p_background)) <> p_all_but_background end)
        order by due_at, place limit p_most) of_lane
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
    )
    select split_part(lane, ' ', 1), array_agg(account), listener, bool_or(free_at <= p_now) or count(*) = p_most,
      (extract(epoch from min(free_at) filter (where free_at > p_now and free_at <= p_until) - p_now) * 1000)::float8
    from waiting group by lane, listener;
end
$body$;
