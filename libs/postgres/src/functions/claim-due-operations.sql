-- Claims due operations of many accounts in the order of index operation_queue_due. The account is only a filter: the
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
  set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off
  set enable_mergejoin = off set plan_cache_mode = force_custom_plan as $body$
declare
  p_now constant timestamptz := :schema.clock();
  p_claimed_accounts text[];
  p_claimed_ids text[];
begin
  perform set_config('synchronous_commit', 'off', true);
  with due as (
    select account, id from :schema.operation_queue
    where followed = p_followed and account = any (p_accounts)
      and due_at <= p_now and (claimed_until is null or claimed_until <= p_now)
    order by due_at, id limit p_limit for no key update skip locked
  ), claimed as (
    update :schema.operation_queue queued set due_once_more = false, claimed_until = p_now + interval '1 millisecond'
      * case operation.state when 'created' then p_send_lease_ms else p_lease_ms end
    from due join :schema.operation on operation.id = due.id and operation.account || '' = due.account
    where queued.id = due.id and queued.account || '' = due.account
    returning queued.account, queued.id, queued.due_at
  )
  select array_agg(account order by due_at, id), array_agg(id order by due_at, id) into p_claimed_accounts, p_claimed_ids from claimed;
  if p_claimed_ids is not null then
    -- By account and id together: another account may have an operation with the same id.
    return query
      select operation_row.* from unnest(p_claimed_accounts, p_claimed_ids) with ordinality as claimed(account, id, place)
      join :schema.operation_row on operation_row.id = claimed.id and operation_row.account || '' = claimed.account
      order by place;
  end if;
end
$body$;
