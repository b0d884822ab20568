-- Records one operation that has rivals, a limit or a key that exists, or returns what refuses it. The function is volatile, so each of its
-- statements sees what other transactions committed while the statement before it waited.
create function :fn.record_alone(p_operation jsonb)
returns text language plpgsql volatile as $body$
declare
  p_account constant text := p_operation->>'account';
  p_id constant text := p_operation->>'id';
  p_keys constant bytea[] := array(select decode(jsonb_array_elements_text(p_operation->'guardKeys'), 'hex'));
  p_moment timestamptz;
  p_answer text;
begin
  -- The row that the insert conflicted with may be gone when this function reads it. Then the insert is tried again.
  for attempt in 1..5 loop
    if p_operation ? 'dailyLimitMinor' then
      perform :fn.lock_day(p_account, p_operation->>'kind', p_operation->>'currency');
    end if;
    perform from :fn.lock_guards(array_fill(p_account, array[cardinality(p_keys)]), p_keys, array_fill(p_id, array[cardinality(p_keys)]));
    -- A transaction that held a lock may have recorded this idempotency key.
    p_answer := (:fn.known_answers(jsonb_build_array(p_operation)))[1];
    if p_answer is not null then
      -- If it is this very recording, which came twice, it guards what it guarded.
      if p_answer::jsonb->>'id' is distinct from p_id then
        perform :fn.leave_guards(p_account, p_keys, p_id);
      end if;
      return p_answer;
    end if;
    p_answer := :fn.refusal_of(p_operation)::text;
    if p_answer is not null then
      perform :fn.leave_guards(p_account, p_keys, p_id);
      return p_answer;
    end if;
    p_moment := :schema.clock();
    if :fn.insert_operations(jsonb_build_array(p_operation), '{1}', p_moment) <> '{}' then
      -- An operation that was paid or went back never refuses again once its time is over. One that failed may come back into review.
      update :schema.operation_guard guard
      set holders = array(
        select id from :schema.operation
        where id = any (guard.holders) and account || '' = p_account
          and (state <> all ('{succeeded,reversed}') or counted is not null and :fn.is_of_last_day(operation)
            or state = 'succeeded' and updated_at > :schema.clock() - own.paid))
      from unnest(p_keys) as given(key)
      left join lateral (
        select "paidForMs" * interval '1 millisecond' as paid
        from jsonb_to_recordset(p_operation->'guard'->'keys') as own(key text, "paidForMs" float8)
        where decode(own.key, 'hex') = given.key) as own on true
      where guard.key = any (p_keys) and guard.key = given.key and guard.account || '' = p_account and cardinality(guard.holders) > 1;
      return json_build_object('kind', 'recorded', 'at', extract(epoch from p_moment) * 1000)::text;
    end if;
  end loop;
  raise exception 'operation % conflicts with one that this transaction cannot see', p_id
    using errcode = 'serialization_failure';
end
$body$;
