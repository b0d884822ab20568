-- Recording and claiming operations.
--
-- Functions, because PostgreSQL plans their statements once for each connection and not once for each call, also
-- behind PgBouncer. PostgreSQL may keep a plan that it made while a table was empty, so:
-- - sequential scans are off;
-- - rows are found by the columns that identify them, and the account is compared as account || '', which no index can use. On
--   an empty table, an index that contains the account looks as good as the right one.

-- Locks a customer and an amount until the transaction ends.
create function :schema.lock_customer(p_account text, p_phone text, p_currency text, p_minor text)
returns void language sql volatile as $body$
  select pg_advisory_xact_lock(
    hashtextextended(concat_ws(chr(10), ':schema', p_account, p_phone, p_currency, p_minor), 0))
$body$;

-- Makes the commit of this transaction wait for the disk, even if the role sets synchronous_commit to a weaker value.
create function :schema.make_durable()
returns void language plpgsql volatile as $body$
begin
  if current_setting('synchronous_commit') not in ('on', 'remote_apply') then
    perform set_config('synchronous_commit', 'on', true);
  end if;
end
$body$;

-- Fails if the statement has run for longer than p_late_ms. Its caller may have given up, and must not find a payment
-- later that it believes was not recorded. Call it after all locks, as the last step.
create function :schema.refuse_late(p_late_ms float8)
returns void language plpgsql volatile as $body$
begin
  if clock_timestamp() - statement_timestamp() > p_late_ms * interval '1 millisecond' then
    raise exception 'recording took longer than % ms, so nothing was recorded', p_late_ms using errcode = 'query_canceled';
  end if;
end
$body$;

-- Records one operation, or returns the operation that it conflicts with. The function is volatile, so each of its
-- statements sees what other transactions committed while the statement before it waited.
create function :schema.insert_operation(p_operation jsonb)
returns text language plpgsql volatile as $body$
declare
  p_account constant text := p_operation->>'account';
  p_key constant text := p_operation->>'idempotencyKey';
  p_currency constant text := p_operation->>'currency';
  p_minor constant text := p_operation->>'amountMinor';
  p_phone constant bytea := decode(p_operation->>'phoneHash', 'hex');
  p_tills constant text[] := array(select jsonb_array_elements_text(p_operation->'tills'));
  p_parallel constant boolean := (p_operation->>'allowParallel')::boolean;
  p_background constant boolean := (p_operation->>'inBackground')::boolean;
  p_send_before constant interval := (p_operation->>'sendBeforeMs')::float8 * interval '1 millisecond';
  p_moment timestamptz;
  p_found text;
  p_conflict text;
begin
  -- The row that the insert conflicted with may be gone when this function reads it. Then the insert is tried again.
  for attempt in 1..5 loop
    -- Before the lock, so that a repeated request does not wait.
    select id into p_found from :schema.operation where idempotency_key = p_key and account || '' = p_account;
    if found then
      return json_build_object('kind', 'existing', 'id', p_found)::text;
    end if;
    if not p_parallel then
      perform :schema.lock_customer(p_account, p_operation->>'phoneHash', p_currency, p_minor);
      select id into p_conflict from :schema.operation
      where phone_hash = p_phone and amount_minor = p_minor and currency = p_currency and account || '' = p_account
        and state in ('created', 'requested', 'pending', 'unknown')
        and (state in ('created', 'requested') or not window_swept)
        and tills && p_tills
      limit 1;
      if found then
        -- The transaction that held the lock may have recorded this idempotency key.
        select id into p_found from :schema.operation where idempotency_key = p_key and account || '' = p_account;
        if found then
          return json_build_object('kind', 'existing', 'id', p_found)::text;
        end if;
        return json_build_object('kind', 'in_flight', 'id', p_conflict)::text;
      end if;
    end if;
    p_moment := :schema.clock();
    insert into :schema.operation (
      account, id, kind, idempotency_key, channel, till_number, tills, subscriber, phone_hash, currency, amount, amount_minor,
      metadata, allow_parallel, in_background, send_before, due_at, created_at, updated_at)
    values (
      p_account, p_operation->>'id', p_operation->>'kind', p_key, p_operation->>'channel', p_operation->>'tillNumber', p_tills,
      p_operation->'subscriber', p_phone, p_currency, p_operation->>'amount', p_minor,
      nullif(p_operation->'metadata', 'null'), p_parallel, p_background, p_moment + p_send_before,
      case when p_background then p_moment else p_moment + p_send_before end, p_moment, p_moment)
    on conflict do nothing;
    if found then
      return json_build_object('kind', 'recorded', 'at', extract(epoch from p_moment) * 1000)::text;
    end if;
  end loop;
  perform from :schema.operation where id = p_operation->>'id' and account || '' = p_account;
  if found then
    raise exception 'there is another operation %', p_operation->>'id'
      using errcode = 'unique_violation', constraint = 'operation_pkey';
  end if;
  raise exception 'operation % conflicts with one that this transaction cannot see', p_operation->>'id'
    using errcode = 'serialization_failure';
end
$body$;

-- Records one operation, alone or in the transaction of the host. The lock_timeout in the header makes PostgreSQL
-- restore the previous value when the function ends.
create function :schema.record_operation(p_operation jsonb, p_wait_ms integer, p_late_ms float8)
returns text language plpgsql volatile set enable_seqscan = off set lock_timeout = '3s' as $body$
declare
  p_result text;
begin
  perform set_config('lock_timeout', p_wait_ms::text, true);
  perform :schema.make_durable();
  p_result := :schema.insert_operation(p_operation);
  perform :schema.refuse_late(p_late_ms);
  return p_result;
end
$body$;

-- Records many operations in one commit and returns a result for each, in their order. The caller sorts them by
-- customer, so that two groups cannot deadlock. p_wait_ms limits all waits of the group together: it may wait for
-- other groups, but not for a transaction of the host that stays open. With p_drop, an operation that would wait
-- longer is left out with the result 'waits'; each operation then needs a subtransaction, so only the second attempt
-- of a group uses it.
create function :schema.record_operations(p_operations jsonb, p_wait_ms float8, p_late_ms float8, p_drop boolean)
returns setof text language plpgsql volatile set enable_seqscan = off set lock_timeout = '3s' as $body$
declare
  p_operation jsonb;
  p_result text;
begin
  perform :schema.make_durable();
  for p_operation in select value from jsonb_array_elements(p_operations) loop
    perform set_config('lock_timeout', greatest(
      2, p_wait_ms - extract(epoch from clock_timestamp() - statement_timestamp()) * 1000)::integer::text, true);
    if p_drop then
      begin
        p_result := :schema.insert_operation(p_operation);
      exception when lock_not_available then
        p_result := '{"kind": "waits"}';
      end;
      return next p_result;
    else
      return next :schema.insert_operation(p_operation);
    end if;
  end loop;
  perform :schema.refuse_late(p_late_ms);
end
$body$;

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
      where account = any (p_accounts) and state in ('needs_review', 'failed')
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
