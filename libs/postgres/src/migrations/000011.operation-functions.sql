-- Recording operations.
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
