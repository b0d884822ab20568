-- Recording operations.
--
-- Functions, because PostgreSQL plans their statements once for each connection and not once for each call, also
-- behind PgBouncer. PostgreSQL may keep a plan that it made while a table was empty, so:
-- - sequential scans are off;
-- - rows are found by the columns that identify them, and the account is compared as account || '', which no index can use. On
--   an empty table, an index that contains the account looks as good as the right one.

-- Makes the commit of this transaction wait for the disk, even if the role sets synchronous_commit to a weaker value.
create function :schema.make_durable()
returns void language plpgsql volatile as $body$
begin
  if current_setting('synchronous_commit') not in ('on', 'remote_apply') then
    perform set_config('synchronous_commit', 'on', true);
  end if;
end
$body$;

-- A pause waits for recordings that send at once, and for changes to 'requested': when it is stored, nothing is sent any more. The pause of one
-- account waits for, and holds up, only those of that account; account '*' stands for all. Take it
-- before any other lock, so that nobody who has it waits for somebody who waits for it. A recording in the transaction of a host does
-- not take it: the host may keep that transaction open, and what it records is changed to 'requested' later.
-- Where the default isolation is stricter, this statement does not see a pause that was stored since it began, however long it has waited
-- here: then it fails, and is repeated.
create function :schema.lock_sending(p_accounts text[])
returns void language plpgsql volatile as $body$
declare
  p_last xid8;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended(concat_ws(chr(10), ':schema', 'sending', account), 0))
  from (select '*' as account union select unnest(p_accounts) order by 1) accounts;
  if current_setting('transaction_isolation') <> 'read committed' then
    select last_value::text::xid8 into p_last from :schema.pause_transaction;
    -- After a restore from a dump it is a transaction of another server, and may have a number that this one has not reached. A new number is
    -- higher than that of every pause here.
    if not pg_visible_in_snapshot(p_last, pg_current_snapshot())
      and (pg_current_xact_id_if_assigned() is not null or p_last < pg_current_xact_id()) then
      raise exception 'sending was paused or resumed meanwhile' using errcode = 'serialization_failure';
    end if;
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

-- Writes an operation into the rows of what it guards, in the order of the keys, which locks them until the transaction ends. Returns the other
-- operations that have a key.
create function :schema.lock_guards(p_account text, p_keys bytea[], p_id text)
returns text[] language plpgsql volatile as $body$
declare
  p_holders text[];
begin
  -- One statement inserts a row or writes it. Between two statements, retention could delete a row that is not locked yet.
  with locked as (
    insert into :schema.operation_guard (account, key, holders)
    select p_account, key, array[p_id] from unnest(p_keys) as given(key) order by key
    on conflict (key, account) do update
      set holders = array_remove(operation_guard.holders, p_id) || p_id
    returning holders
  )
  select array_agg(holder) into p_holders from locked, unnest(holders) as holder where holder <> p_id;
  return coalesce(p_holders, '{}');
end
$body$;

-- Takes an operation that is not recorded out of the rows of what it would guard.
create function :schema.leave_guards(p_account text, p_keys bytea[], p_id text)
returns void language plpgsql volatile as $body$
begin
  delete from :schema.operation_guard
  where key = any (p_keys) and account || '' = p_account and holders <@ array[p_id];
  update :schema.operation_guard set holders = array_remove(holders, p_id)
  where key = any (p_keys) and account || '' = p_account;
end
$body$;

-- The money of all operations of a kind and a currency that were recorded or approved in the last 24 hours, or that wait for
-- approval or are about to be sent; without those that failed. The lock makes two recordings see each other, also when one
-- of them is in a repeatable read transaction: both write the row of the day. Call it before any other lock, so that recordings wait
-- for it with empty hands and cannot deadlock.
create function :schema.lock_day(p_account text, p_kind text, p_currency text)
returns void language plpgsql volatile as $body$
declare
  p_key constant bytea := sha256(convert_to(concat_ws(chr(10), 'day', p_kind, p_currency), 'UTF8'));
begin
  perform :schema.lock_guards(p_account, array[p_key], p_kind);
end
$body$;

create function :schema.used_in_a_day(p_account text, p_kind text, p_currency text)
returns numeric language plpgsql volatile as $body$
declare
  p_since constant timestamptz := :schema.clock() - interval '24 hours';
begin
  return (
    select coalesce(sum(amount_minor::numeric), 0) from (
      select amount_minor from :schema.operation
      where kind = p_kind and kind <> 'payment' and created_at > p_since
        and currency = p_currency and state <> 'failed' and account || '' = p_account
      union all
      select amount_minor from :schema.operation
      where kind = p_kind and kind <> 'payment' and created_at <= p_since and (state = 'created' or approved_at > p_since)
        and (state = 'created' or approved_at is not null)
        and currency = p_currency and state <> 'failed' and account || '' = p_account
    ) as used);
end
$body$;

-- Whether an operation counts for what is sent in 24 hours: from its recording or approval on, and while it waits for approval.
create function :schema.is_of_last_day(p_operation :schema.operation)
returns boolean language sql stable as $body$
  select p_operation.state <> 'failed'
    and (p_operation.state = 'created' or greatest(p_operation.created_at, p_operation.approved_at) > :schema.clock() - interval '24 hours')
$body$;

-- What some operations send to one destination in 24 hours.
create function :schema.sent_in_a_day(p_account text, p_ids text[], p_key text)
returns numeric language plpgsql volatile as $body$
begin
  return (
    select coalesce(sum((counted->>p_key)::numeric), 0) from :schema.operation
    where id = any (p_ids) and account || '' = p_account and :schema.is_of_last_day(operation));
end
$body$;

-- Records one operation, or returns the operation that it conflicts with. With 'sending' it is recorded as 'requested'. The function is volatile, so each of its
-- statements sees what other transactions committed while the statement before it waited.
create function :schema.insert_operation(p_operation jsonb)
returns text language plpgsql volatile as $body$
declare
  p_account constant text := p_operation->>'account';
  p_kind constant text := p_operation->>'kind';
  p_key constant text := p_operation->>'idempotencyKey';
  p_currency constant text := p_operation->>'currency';
  p_minor constant text := p_operation->>'amountMinor';
  p_id constant text := p_operation->>'id';
  p_tills constant text[] := array(select jsonb_array_elements_text(p_operation->'tills'));
  p_plain constant text[] := array(select ltrim(value, 'Kk') from jsonb_array_elements_text(p_operation->'tills'));
  p_parallel constant boolean := (p_operation->>'allowParallel')::boolean;
  p_background constant boolean := (p_operation->>'inBackground')::boolean;
  p_held constant boolean := (p_operation->>'isHeld')::boolean;
  p_send_before constant interval := (p_operation->>'sendBeforeMs')::float8 * interval '1 millisecond';
  p_guards constant bytea[] := array(select decode(value, 'hex') from jsonb_array_elements_text(p_operation->'guard'->'keys'));
  p_blocked constant text[] := array(select jsonb_array_elements_text(p_operation->'guard'->'blockedIn'));
  p_causes constant text[] := case when p_operation->'guard' ? 'reviewedFor'
    then array(select jsonb_array_elements_text(p_operation->'guard'->'reviewedFor')) end;
  p_counted constant jsonb := nullif(p_operation->'guard'->'counted', '{}');
  p_keys constant bytea[] := p_guards || array(select decode(key, 'hex') from jsonb_object_keys(p_counted) as given(key));
  p_approve_from constant numeric := (p_operation->>'approveFromMinor')::numeric;
  p_settled constant interval := (p_operation->'guard'->>'settledWithinMs')::float8 * interval '1 millisecond';
  p_sending jsonb := p_operation->'sending';
  p_limit constant numeric := (p_operation->>'dailyLimitMinor')::numeric;
  p_moment timestamptz;
  p_found text;
  p_conflict text;
  p_holders text[];
  p_used numeric;
  p_pause jsonb;
  p_is_later boolean;
begin
  -- The row that the insert conflicted with may be gone when this function reads it. Then the insert is tried again.
  for attempt in 1..5 loop
    -- Before the lock, so that a repeated request does not wait.
    select id into p_found from :schema.operation
    where idempotency_key = p_key and kind = p_kind and account || '' = p_account;
    if found then
      return json_build_object('kind', 'existing', 'id', p_found)::text;
    end if;
    select (array_agg(jsonb_build_object(
            'account', nullif(account, '*'), 'by', paused_by, 'note', pause_note, 'at', extract(epoch from paused_at) * 1000)
          order by account = '*') filter (where paused_at is not null))[1],
      coalesce(bool_or(creates_closed_until > :schema.clock()), false)
      into p_pause, p_is_later
    from :schema.traffic where account = any (array[p_account, '*']);
    if p_pause is not null then
      return json_build_object('kind', 'paused', 'pause', p_pause)::text;
    end if;
    if p_is_later then
      -- The platform has asked to wait: the operation is sent afterwards, if its time is not over.
      p_sending := null;
    end if;
    if p_limit is not null then
      perform :schema.lock_day(p_account, p_kind, p_currency);
    end if;
    p_conflict := null;
    p_holders := '{}';
    if cardinality(p_keys) > 0 then
      p_holders := :schema.lock_guards(p_account, p_keys, p_id);
    end if;
    if cardinality(p_holders) > 0 and current_setting('transaction_isolation') <> 'read committed' then
      -- A repeatable read transaction must not decide on an old state: then this raises error 40001.
      perform from :schema.operation where id = any (p_holders) and account || '' = p_account order by id for share;
    end if;
    if cardinality(p_holders) > 0 and not p_parallel then
      -- `refuses` of the library says the same.
      select id into p_conflict from :schema.operation
      where id = any (p_holders) and account || '' = p_account and guard_keys && p_guards and (cardinality(p_tills) = 0 or exists (select from unnest(tills) own where ltrim(own, 'Kk') = any (p_plain)))
        and (state = any (p_blocked) and not (window_swept and (state in ('pending', 'unknown') or cause is not distinct from 'no_evidence'))
            and (state <> 'needs_review' or p_causes is null or cause = any (p_causes))
          or state in ('succeeded', 'partially_succeeded') and updated_at > :schema.clock() - p_settled)
      order by created_at limit 1;
    end if;
    if cardinality(p_holders) > 0 or p_limit is not null then
      -- The transaction that held a lock may have recorded this idempotency key.
      select id into p_found from :schema.operation
      where idempotency_key = p_key and kind = p_kind and account || '' = p_account;
      if found then
        perform :schema.leave_guards(p_account, p_keys, p_id);
        return json_build_object('kind', 'existing', 'id', p_found)::text;
      end if;
    end if;
    if p_conflict is null and p_approve_from is not null and exists (
      select from jsonb_each_text(p_counted) as own(key, minor)
      where own.minor::numeric + :schema.sent_in_a_day(p_account, p_holders, own.key) >= p_approve_from)
    then
      perform :schema.leave_guards(p_account, p_keys, p_id);
      return '{"kind": "needs_approval"}';
    end if;
    if p_conflict is null and p_limit is not null then
      p_used := :schema.used_in_a_day(p_account, p_kind, p_currency);
    end if;
    if p_conflict is not null or p_used + p_minor::numeric > p_limit then
      perform :schema.leave_guards(p_account, p_keys, p_id);
      if p_conflict is not null then
        return json_build_object('kind', 'in_flight', 'id', p_conflict)::text;
      end if;
      return json_build_object('kind', 'over_limit', 'usedMinor', p_used::text)::text;
    end if;
    p_moment := :schema.clock();
    insert into :schema.operation (
      account, id, kind, idempotency_key, tills, request, personal, phone_hash, any_payer, currency, amount, amount_minor,
      allow_parallel, guard_keys, counted, in_background, state, sender, sent_at, send_before, due_at, traceparent, created_at, updated_at)
    values (
      p_account, p_id, p_kind, p_key, p_tills, p_operation->'request', p_operation->'personal', decode(p_operation->>'phoneHash', 'hex'),
      (p_operation->>'anyPayer')::boolean, p_currency, p_operation->>'amount', p_minor, p_parallel,
      nullif(p_keys, '{}'), p_counted, p_background, case when p_sending is null then 'created' else 'requested' end,
      p_sending->>'sender', to_timestamp((p_sending->>'sentAt')::float8 / 1000), p_moment + p_send_before,
      case when p_held then null when p_background then p_moment
        else p_moment + coalesce((p_sending->>'giveUpInMs')::float8 * interval '1 millisecond', p_send_before) end,
      p_operation->>'traceparent', p_moment, p_moment)
    on conflict do nothing;
    if found then
      if p_sending is not null then
        insert into :schema.operation_history (account, operation_id, at, via, what, detail)
        values (
          p_account, p_id, p_moment, p_sending->>'via', p_sending->>'what', p_sending->>'detail');
      end if;
      if cardinality(p_holders) > 0 then
        -- Operations that can never refuse another one are left out.
        update :schema.operation_guard
        set holders = array(
          select id from :schema.operation
          where id = any (operation_guard.holders) and account || '' = p_account
            and (id = p_id or state = any (p_blocked) or counted is not null and :schema.is_of_last_day(operation) or p_causes is null and state in ('failed', 'partially_succeeded')
              or state = 'succeeded' and updated_at > :schema.clock() - p_settled))
        where key = any (p_keys) and account || '' = p_account;
      end if;
      return json_build_object(
        'kind', 'recorded', 'at', extract(epoch from p_moment) * 1000, 'isSending', p_sending is not null)::text;
    end if;
  end loop;
  perform from :schema.operation where id = p_id and account || '' = p_account;
  if found then
    raise exception 'there is another operation %', p_id
      using errcode = 'unique_violation', constraint = 'operation_pkey';
  end if;
  raise exception 'operation % conflicts with one that this transaction cannot see', p_id
    using errcode = 'serialization_failure';
end
$body$;

-- Records one operation, alone or in the transaction of the host. The lock_timeout in the header makes PostgreSQL
-- restore the previous value when the function ends.
create function :schema.record_operation(p_operation jsonb, p_wait_ms integer, p_late_ms float8)
returns text language plpgsql volatile
  set enable_seqscan = off set enable_bitmapscan = off set lock_timeout = '3s' as $body$
declare
  p_result text;
begin
  perform set_config('lock_timeout', p_wait_ms::text, true);
  perform :schema.make_durable();
  if jsonb_typeof(p_operation->'sending') = 'object' then
    perform :schema.lock_sending(array[p_operation->>'account']);
  end if;
  p_result := :schema.insert_operation(p_operation);
  perform :schema.refuse_late(p_late_ms);
  return p_result;
end
$body$;

-- Records many operations in one commit and returns a result for each, in their order. The caller sorts them by
-- their guards, so that two groups cannot deadlock. p_wait_ms limits all waits of the group together: it may wait for
-- other groups, but not for a transaction of the host that stays open. With p_drop, an operation that would wait
-- longer is left out with the result 'waits'; each operation then needs a subtransaction, so only the second attempt
-- of a group uses it.
create function :schema.record_operations(p_operations jsonb, p_wait_ms float8, p_late_ms float8, p_drop boolean)
returns setof text language plpgsql volatile
  set enable_seqscan = off set enable_bitmapscan = off set lock_timeout = '3s' as $body$
declare
  p_operation jsonb;
  p_result text;
begin
  perform :schema.make_durable();
  if not p_drop and p_operations @> '[{"sending": {}}]' then
    perform set_config('lock_timeout', p_wait_ms::integer::text, true);
    perform :schema.lock_sending(array(
      select value->>'account' from jsonb_array_elements(p_operations) where jsonb_typeof(value->'sending') = 'object'));
  end if;
  for p_operation in select value from jsonb_array_elements(p_operations) loop
    perform set_config('lock_timeout', greatest(
      2, p_wait_ms - extract(epoch from clock_timestamp() - statement_timestamp()) * 1000)::integer::text, true);
    if p_drop then
      begin
        -- A pause that waits holds up the operations of its own account only.
        if jsonb_typeof(p_operation->'sending') = 'object' then
          perform :schema.lock_sending(array[p_operation->>'account']);
        end if;
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
