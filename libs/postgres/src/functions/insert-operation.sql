-- Records one operation, or returns the operation that it conflicts with. The function is volatile, so each of its
-- statements sees what other transactions committed while the statement before it waited.
create function :fn.insert_operation(p_operation jsonb)
returns text language plpgsql volatile as $body$
declare
  p_account constant text := p_operation->>'account';
  p_kind constant text := p_operation->>'kind';
  p_key constant text := p_operation->>'idempotencyKey';
  p_currency constant text := p_operation->>'currency';
  p_minor constant text := p_operation->>'amountMinor';
  p_id constant text := p_operation->>'id';
  p_tills constant text[] := array(select jsonb_array_elements_text(p_operation->'tills'));
  p_parallel constant boolean := (p_operation->>'allowParallel')::boolean;
  p_background constant boolean := (p_operation->>'inBackground')::boolean;
  p_held constant boolean := (p_operation->>'isHeld')::boolean;
  p_send_before constant interval := (p_operation->>'sendBeforeMs')::float8 * interval '1 millisecond';
  p_guards constant bytea[] := array(select decode(value, 'hex') from jsonb_array_elements_text(p_operation->'guard'->'keys'));
  p_counted constant jsonb := nullif(p_operation->'guard'->'counted', '{}');
  p_keys constant bytea[] := case when p_counted is null then p_guards
    else p_guards || array(select decode(key, 'hex') from jsonb_object_keys(p_counted) as given(key)) end;
  p_approve_from constant numeric := (p_operation->>'approveFromMinor')::numeric;
  p_settled constant interval := (p_operation->'guard'->>'settledWithinMs')::float8 * interval '1 millisecond';
  p_limit constant numeric := (p_operation->>'dailyLimitMinor')::numeric;
  p_moment timestamptz;
  p_found text;
  p_conflict text;
  p_holders text[];
  -- What only other holders of its keys need: most operations have none.
  p_plain text[];
  p_blocked text[];
  p_causes text[];
  p_used numeric;
  p_pause jsonb;
begin
  -- The row that the insert conflicted with may be gone when this function reads it. Then the insert is tried again.
  for attempt in 1..5 loop
    -- Before the lock, so that a repeated request does not wait.
    select id into p_found from :schema.operation
    where idempotency_key = p_key and kind = p_kind and account || '' = p_account;
    if found then
      return json_build_object('kind', 'existing', 'id', p_found)::text;
    end if;
    select jsonb_build_object(
        'account', nullif(account, '*'), 'by', by_whom, 'note', note, 'at', extract(epoch from at) * 1000)
      into p_pause
    from :schema.pause where account = any (array[p_account, '*']) order by account = '*' limit 1;
    if p_pause is not null then
      return json_build_object('kind', 'paused', 'pause', p_pause)::text;
    end if;
    if p_limit is not null then
      perform :fn.lock_day(p_account, p_kind, p_currency);
    end if;
    p_conflict := null;
    p_holders := '{}';
    if cardinality(p_keys) > 0 then
      p_holders := :fn.lock_guards(p_account, p_keys, p_id);
    end if;
    if cardinality(p_holders) > 0 then
      p_plain := array(select ltrim(value, 'Kk') from unnest(p_tills) as own(value));
      p_blocked := array(select jsonb_array_elements_text(p_operation->'guard'->'blockedIn'));
      p_causes := case when p_operation->'guard' ? 'reviewedFor'
        then array(select jsonb_array_elements_text(p_operation->'guard'->'reviewedFor')) end;
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
        perform :fn.leave_guards(p_account, p_keys, p_id);
        return json_build_object('kind', 'existing', 'id', p_found)::text;
      end if;
    end if;
    if p_conflict is null and p_approve_from is not null and exists (
      select from jsonb_each_text(p_counted) as own(key, minor)
      where own.minor::numeric + :fn.sent_in_a_day(p_account, p_holders, own.key) >= p_approve_from)
    then
      perform :fn.leave_guards(p_account, p_keys, p_id);
      return '{"kind": "needs_approval"}';
    end if;
    if p_conflict is null and p_limit is not null then
      p_used := :fn.used_in_a_day(p_account, p_kind, p_currency);
    end if;
    if p_conflict is not null or p_used + p_minor::numeric > p_limit then
      perform :fn.leave_guards(p_account, p_keys, p_id);
      if p_conflict is not null then
        return json_build_object('kind', 'in_flight', 'id', p_conflict)::text;
      end if;
      return json_build_object('kind', 'over_limit', 'usedMinor', p_used::text)::text;
    end if;
    p_moment := :schema.clock();
    insert into :schema.operation (
      account, id, kind, idempotency_key, tills, request, personal, phone_hash, any_payer, currency, amount, amount_minor,
      allow_parallel, guard_keys, counted, in_background, state, send_before, traceparent, created_at, updated_at, sent_about)
    values (
      p_account, p_id, p_kind, p_key, p_tills, p_operation->'request', p_operation->'personal', decode(p_operation->>'phoneHash', 'hex'),
      (p_operation->>'anyPayer')::boolean, p_currency, p_operation->>'amount', p_minor, p_parallel,
      nullif(p_keys, '{}'), p_counted, p_background, 'created', p_moment + p_send_before,
      p_operation->>'traceparent', p_moment, p_moment, p_moment)
    on conflict do nothing;
    if found then
      insert into :schema.operation_queue (account, id, followed, listed_as, money, sent_about, due_at)
      values (p_account, p_id, false, case when p_kind <> 'payment' then 'unsent' end,
        :fn.expected_money((p_operation->>'anyPayer')::boolean, decode(p_operation->>'phoneHash', 'hex'), p_minor, p_currency), p_moment,
        case when p_held then 'infinity' when p_background then p_moment else p_moment + p_send_before end);
      if cardinality(p_holders) > 0 then
        -- Operations that can never refuse another one are left out.
        update :schema.operation_guard
        set holders = array(
          select id from :schema.operation
          where id = any (operation_guard.holders) and account || '' = p_account
            and (id = p_id or state = any (p_blocked) or counted is not null and :fn.is_of_last_day(operation) or p_causes is null and state in ('failed', 'partially_succeeded')
              or state = 'succeeded' and updated_at > :schema.clock() - p_settled))
        where key = any (p_keys) and account || '' = p_account;
      end if;
      return json_build_object(
        'kind', 'recorded', 'at', extract(epoch from p_moment) * 1000)::text;
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
