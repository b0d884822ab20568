-- Records one operation that has rivals, a limit or a key that exists, or returns what refuses it. The function is volatile, so each of its
-- statements sees what other transactions committed while the statement before it waited.
create function :fn.record_alone(p_operation jsonb)
returns text language plpgsql volatile as $body$
declare
  p_account constant text := p_operation->>'account';
  p_kind constant text := p_operation->>'kind';
  p_currency constant text := p_operation->>'currency';
  p_id constant text := p_operation->>'id';
  p_keys constant bytea[] := array(select decode(jsonb_array_elements_text(p_operation->'guardKeys'), 'hex'));
  p_guards constant bytea[] := array(select decode(jsonb_array_elements_text(p_operation->'guard'->'keys'), 'hex'));
  p_plain constant text[] := array(select ltrim(jsonb_array_elements_text(p_operation->'tills'), 'Kk'));
  p_blocked constant text[] := array(select jsonb_array_elements_text(p_operation->'guard'->'blockedIn'));
  p_causes constant text[] := case when p_operation->'guard' ? 'reviewedFor'
    then array(select jsonb_array_elements_text(p_operation->'guard'->'reviewedFor')) end;
  p_settled constant interval := (p_operation->'guard'->>'settledWithinMs')::float8 * interval '1 millisecond';
  p_limit constant numeric := (p_operation->>'dailyLimitMinor')::numeric;
  p_moment timestamptz;
  p_answer text;
  p_conflict text;
  p_holders text[];
  p_used numeric;
begin
  -- The row that the insert conflicted with may be gone when this function reads it. Then the insert is tried again.
  for attempt in 1..5 loop
    if p_limit is not null then
      perform :fn.lock_day(p_account, p_kind, p_currency);
    end if;
    p_holders := array(
      select holder from :fn.lock_guards(array_fill(p_account, array[cardinality(p_keys)]), p_keys,
        array_fill(p_id, array[cardinality(p_keys)])));
    -- A transaction that held a lock may have recorded this idempotency key.
    p_answer := (:fn.known_answers(jsonb_build_array(p_operation)))[1];
    if p_answer is not null then
      -- If it is this very recording, which came twice, it guards what it guarded.
      if p_answer::jsonb->>'id' is distinct from p_id then
        perform :fn.leave_guards(p_account, p_keys, p_id);
      end if;
      return p_answer;
    end if;
    if cardinality(p_holders) > 0 and current_setting('transaction_isolation') <> 'read committed' then
      -- A repeatable read transaction must not decide on an old state: then this raises error 40001.
      perform from :schema.operation where id = any (p_holders) and account || '' = p_account order by id for share;
    end if;
    p_conflict := null;
    if cardinality(p_holders) > 0 and not (p_operation->>'allowParallel')::boolean then
      -- `refuses` of the library says the same.
      select id into p_conflict from :schema.operation
      where id = any (p_holders) and account || '' = p_account and guard_keys && p_guards
        and (p_plain = '{}' or exists (select from unnest(tills) own where ltrim(own, 'Kk') = any (p_plain)))
        and (state = any (p_blocked) and not (window_swept and (state in ('pending', 'unknown') or cause is not distinct from 'no_evidence'))
            and (state <> 'needs_review' or p_causes is null or cause = any (p_causes))
          or state in ('succeeded', 'partially_succeeded') and updated_at > :schema.clock() - p_settled)
      order by created_at limit 1;
    end if;
    if p_conflict is null and exists (
      select from jsonb_each_text(p_operation->'guard'->'counted') as own(key, minor)
      where own.minor::numeric + (
        select coalesce(sum((counted->>own.key)::numeric), 0) from :schema.operation
        where id = any (p_holders) and account || '' = p_account and :fn.is_of_last_day(operation)
      ) >= (p_operation->>'approveFromMinor')::numeric)
    then
      perform :fn.leave_guards(p_account, p_keys, p_id);
      return '{"kind": "needs_approval"}';
    end if;
    if p_conflict is null and p_limit is not null then
      p_used := :fn.used_in_a_day(p_account, p_kind, p_currency);
    end if;
    if p_conflict is not null or p_used + (p_operation->>'amountMinor')::numeric > p_limit then
      perform :fn.leave_guards(p_account, p_keys, p_id);
      if p_conflict is not null then
        return json_build_object('kind', 'in_flight', 'id', p_conflict)::text;
      end if;
      return json_build_object('kind', 'over_limit', 'usedMinor', p_used::text)::text;
    end if;
    p_moment := :schema.clock();
    if :fn.insert_operations(jsonb_build_array(p_operation), '{1}', p_moment) <> '{}' then
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
      return json_build_object('kind', 'recorded', 'at', extract(epoch from p_moment) * 1000)::text;
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
