-- Claims due operations of many accounts in the order of an index: operation_due, or operation_followed if p_followed.
-- They are two statements because each repeats the condition of its partial index. The account is only a filter: the
-- processes of an application name all its accounts, so the scan skips few rows. An operation that is only recorded gets
-- the shorter lease p_send_lease_ms: if the replica stops, another one can still send the operation before send_before.
--
-- The settings leave only index scans in index order, and PostgreSQL makes a new plan for each call. Between two
-- vacuums a queue has many index entries of dead rows. A bitmap scan, a sort or a hash join reads all of them at each
-- claim; an ordered index scan stops at the limit and marks them as dead. A lease that is lost in a crash of the
-- server counts as expired, so the claim does not wait for the disk (synchronous_commit).
create function :fn.claim_due_operations(
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
