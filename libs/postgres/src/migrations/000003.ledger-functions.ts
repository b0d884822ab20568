/**
 * The two changes that every payment makes: one round trip and one commit for all that are asked for at the same time,
 * planned once for each connection (PostgreSQL's own, of which PgBouncer knows nothing) instead of once for each call.
 *
 * Without sequential scans, because a plan made while a table was empty must not be used when it no longer is. For the same
 * reason rows are found by what tells them apart, and the account is compared in a way that no index takes
 * (\`account || ''\`): on an empty table, any index with the account in it looks as good as the right one.
 */
export const LEDGER_FUNCTIONS = `
-- The payments of one customer and amount, for whoever must be alone with them until its transaction ends.
create function :schema.lock_customer(p_account text, p_phone text, p_currency text, p_minor text)
returns void language sql volatile as $body$
  select pg_advisory_xact_lock(
    hashtextextended(concat_ws(chr(10), ':schema', p_account, p_phone, p_currency, p_minor), 0))
$body$;

-- What must survive the crash of the server right after it is told, whatever the role is content with otherwise.
create function :schema.make_durable()
returns void language plpgsql volatile as $body$
begin
  if current_setting('synchronous_commit') not in ('on', 'remote_apply') then
    perform set_config('synchronous_commit', 'on', true);
  end if;
end
$body$;

-- Whoever asked for a statement that waited or stalled for so long has given up, and may never ask again: what it wrote
-- must not be found later. After all locks, as the last thing.
create function :schema.refuse_late(p_late_ms float8)
returns void language plpgsql volatile as $body$
begin
  if clock_timestamp() - statement_timestamp() > p_late_ms * interval '1 millisecond' then
    raise exception 'it took longer than % ms, and was not recorded', p_late_ms using errcode = 'query_canceled';
  end if;
end
$body$;

-- One payment, by whatever limits its caller has set. Each statement of a volatile function sees what was committed before
-- it: what a lock or an insert has waited for, the next statement sees.
create function :schema.insert_payment(p_payment jsonb)
returns text language plpgsql volatile as $body$
declare
  p_account constant text := p_payment->>'account';
  p_key constant text := p_payment->>'idempotencyKey';
  p_currency constant text := p_payment->>'currency';
  p_minor constant text := p_payment->>'amountMinor';
  p_phone constant bytea := decode(p_payment->>'phoneHash', 'hex');
  p_tills constant text[] := array(select jsonb_array_elements_text(p_payment->'tills'));
  p_parallel constant boolean := (p_payment->>'allowParallel')::boolean;
  p_background constant boolean := (p_payment->>'inBackground')::boolean;
  p_send_before constant interval := (p_payment->>'sendBeforeMs')::float8 * interval '1 millisecond';
  p_moment timestamptz;
  p_found text;
  p_rival text;
begin
  -- A conflict that is gone when it is looked for has left the place free: once more, then.
  for attempt in 1..5 loop
    -- before the lock: who asks again for what is there waits for nobody
    select id into p_found from :schema.payment where idempotency_key = p_key and account || '' = p_account;
    if found then
      return json_build_object('kind', 'existing', 'id', p_found)::text;
    end if;
    if not p_parallel then
      perform :schema.lock_customer(p_account, p_payment->>'phoneHash', p_currency, p_minor);
      select id into p_rival from :schema.payment
      where phone_hash = p_phone and amount_minor = p_minor and currency = p_currency and account || '' = p_account
        and state in ('created', 'requested', 'pending', 'unknown')
        and (state in ('created', 'requested') or not window_swept)
        and tills && p_tills
      limit 1;
      if found then
        -- the rival that the lock waited for may have this very key
        select id into p_found from :schema.payment where idempotency_key = p_key and account || '' = p_account;
        if found then
          return json_build_object('kind', 'existing', 'id', p_found)::text;
        end if;
        return json_build_object('kind', 'in_flight', 'id', p_rival)::text;
      end if;
    end if;
    p_moment := :schema.clock();
    insert into :schema.payment (
      account, id, idempotency_key, channel, till_number, tills, subscriber, phone_hash, currency, amount, amount_minor,
      metadata, allow_parallel, in_background, send_before, due_at, created_at, updated_at)
    values (
      p_account, p_payment->>'id', p_key, p_payment->>'channel', p_payment->>'tillNumber', p_tills,
      p_payment->'subscriber', p_phone, p_currency, p_payment->>'amount', p_minor,
      nullif(p_payment->'metadata', 'null'), p_parallel, p_background, p_moment + p_send_before,
      case when p_background then p_moment else p_moment + p_send_before end, p_moment, p_moment)
    on conflict do nothing;
    if found then
      return json_build_object('kind', 'recorded', 'at', extract(epoch from p_moment) * 1000)::text;
    end if;
  end loop;
  perform from :schema.payment where id = p_payment->>'id' and account || '' = p_account;
  if found then
    raise exception 'there is another payment %', p_payment->>'id'
      using errcode = 'unique_violation', constraint = 'payment_pkey';
  end if;
  raise exception 'payment % conflicts with one that this transaction cannot see', p_payment->>'id'
    using errcode = 'serialization_failure';
end
$body$;

-- One payment alone, or in the host's transaction. The limit set in here ends with the function, as the first one would.
create function :schema.record_payment(p_payment jsonb, p_wait_ms integer, p_late_ms float8)
returns text language plpgsql volatile set enable_seqscan = off set lock_timeout = '3s' as $body$
declare
  p_result text;
begin
  perform set_config('lock_timeout', p_wait_ms::text, true);
  perform :schema.make_durable();
  p_result := :schema.insert_payment(p_payment);
  perform :schema.refuse_late(p_late_ms);
  return p_result;
end
$body$;

-- Many payments, one commit; what happened to each, in their order, which is that of their customers: two groups wait for
-- each other and never in a circle. All their waits together may last for about the given time: they wait for what other
-- groups are just writing, and not for a transaction of the host that stays open. With p_drop, a row that would wait longer
-- is left out ('waits'). That makes a subtransaction for each row, so it is asked for only once a group has failed.
create function :schema.record_payments(p_payments jsonb, p_wait_ms float8, p_late_ms float8, p_drop boolean)
returns setof text language plpgsql volatile set enable_seqscan = off set lock_timeout = '3s' as $body$
declare
  p_payment jsonb;
  p_result text;
begin
  perform :schema.make_durable();
  for p_payment in select value from jsonb_array_elements(p_payments) loop
    perform set_config('lock_timeout', greatest(
      2, p_wait_ms - extract(epoch from clock_timestamp() - statement_timestamp()) * 1000)::integer::text, true);
    if p_drop then
      begin
        p_result := :schema.insert_payment(p_payment);
      exception when lock_not_available then
        p_result := '{"kind": "waits"}';
      end;
      return next p_result;
    else
      return next :schema.insert_payment(p_payment);
    end if;
  end loop;
  perform :schema.refuse_late(p_late_ms);
end
$body$;

-- One change: the time at which it was made, as epoch milliseconds; null when it was refused.
create function :schema.commit_change(
  p_account text, p_payment jsonb, p_transaction jsonb, p_events jsonb, p_history jsonb)
returns float8 language plpgsql volatile set enable_seqscan = off as $body$
declare
  p_set constant jsonb := p_payment->'set';
  p_to constant text := p_set->>'state';
  p_event jsonb;
  p_moment constant timestamptz := :schema.clock();
  p_changed :schema.payment;
  p_waiting text;
begin
  -- What marks a payment as requested comes just before it is sent: whoever reads it later must know that it may have been.
  if p_to = 'requested' then
    perform :schema.make_durable();
  end if;

  -- All that can be stale is looked at before anything is written, payment first: whoever changes the same two rows
  -- waits for the first of them and cannot wait in a circle.
  if p_payment is not null and (p_transaction is not null or p_to = 'requested') then
    perform from :schema.payment
    where id = p_payment->>'id' and account || '' = p_account and version = (p_payment->>'version')::integer
      and (p_to is distinct from 'requested' or :schema.clock() < send_before)
    for no key update;
    if not found then
      return null;
    end if;
  end if;

  if p_transaction is not null then
    if p_transaction->>'version' is null then
      insert into :schema.till_transaction (
        account, reference_hash, reference, sums, several, untied, originated_at, amount_hash, payer_hash, created_at)
      values (
        p_account, decode(p_transaction->>'referenceHash', 'hex'), p_transaction->>'reference', p_transaction->'sums',
        (p_transaction->>'several')::boolean, (p_transaction->>'untied')::boolean,
        to_timestamp((p_transaction->>'originatedAt')::float8 / 1000), decode(p_transaction->>'amountHash', 'hex'),
        decode(p_transaction->>'payerHash', 'hex'), p_moment)
      on conflict do nothing;
    else
      update :schema.till_transaction set
        version = version + 1,
        sums = p_transaction->'sums',
        several = (p_transaction->>'several')::boolean,
        untied = (p_transaction->>'untied')::boolean,
        originated_at = to_timestamp((p_transaction->>'originatedAt')::float8 / 1000),
        amount_hash = decode(p_transaction->>'amountHash', 'hex'),
        payer_hash = decode(p_transaction->>'payerHash', 'hex'),
        redacted = false
      where reference_hash = decode(p_transaction->>'referenceHash', 'hex') and account || '' = p_account
        and version = (p_transaction->>'version')::integer;
    end if;
    if not found then
      return null;
    end if;
  end if;

  if p_payment is not null then
    update :schema.payment set
      version = version + 1,
      updated_at = p_moment,
      redacted = false,
      state = coalesce(p_to, state),
      platform_id = case when p_set ? 'platformId' then p_set->>'platformId' else platform_id end,
      transaction = case when p_set ? 'transaction' then nullif(p_set->'transaction', 'null') else transaction end,
      reason = case when p_set ? 'reason' then p_set->>'reason' else reason end,
      errors = coalesce(p_set->'errors', errors),
      cause = case when p_set ? 'cause' then p_set->>'cause' else cause end,
      cause_detail = case when p_set ? 'causeDetail' then p_set->>'causeDetail' else cause_detail end,
      sender = case when p_set ? 'sender' then p_set->>'sender' else sender end,
      sent_at = case when p_set ? 'sentAt' then to_timestamp((p_set->>'sentAt')::float8 / 1000) else sent_at end,
      window_swept = coalesce((p_set->>'windowSwept')::boolean, window_swept),
      denied_at = case when p_set ? 'deniedAt' then to_timestamp((p_set->>'deniedAt')::float8 / 1000) else denied_at end,
      decided = coalesce((p_set->>'decided')::boolean, decided),
      empty_successes = coalesce((p_set->>'emptySuccesses')::integer, empty_successes),
      checks = coalesce((p_set->>'checks')::integer, checks),
      due_at = case
        when coalesce(p_to, state) in ('succeeded', 'reversed') then null
        when look_again and p_payment->>'dueInMs' is not null then p_moment
        when p_payment ? 'dueInMs' then p_moment + (p_payment->>'dueInMs')::float8 * interval '1 millisecond'
        else due_at end,
      look_again = look_again and not p_payment ? 'dueInMs',
      claimed_until = case when p_payment ? 'dueInMs' then null else claimed_until end
    where id = p_payment->>'id' and account || '' = p_account and version = (p_payment->>'version')::integer
    returning * into p_changed;
    if not found then
      return null;
    end if;
    insert into :schema.payment_history (account, payment_id, at, via, what, detail)
    select p_account, p_payment->>'id', p_moment, entry->>'via', entry->>'what', entry->>'detail'
    from jsonb_array_elements(p_history) with ordinality as entries(entry, place) order by place;

    -- A rival has left: who waited for that, since money may be its own or that one's, is looked at again. Those that
    -- somebody is changing now are left out: waiting for them here would be out of order. A redacted phone is nobody's.
    if (p_to in ('succeeded', 'failed', 'reversed', 'needs_review')
        or p_set->>'deniedAt' is not null or (p_set->>'decided')::boolean)
      and p_changed.phone_hash <> '' then
      for p_waiting in
        select id from :schema.payment
        where phone_hash = p_changed.phone_hash and amount_minor = p_changed.amount_minor
          and currency = p_changed.currency and account || '' = p_account
          and platform_id is null and state in ('unknown', 'needs_review') and id <> p_changed.id
        for no key update skip locked
      loop
        update :schema.payment set due_at = least(due_at, p_moment), look_again = true
        where id = p_waiting and account || '' = p_account;
      end loop;
    end if;
  end if;

  for p_event in select value from jsonb_array_elements(p_events) loop
    insert into :schema.event (account, id, name, stream, via, payload, created_at)
    values (
      p_account, p_event->>'id', p_event->>'name', p_event->>'stream', coalesce(p_event->'payload'->>'via', ''),
      p_event->'payload', p_moment)
    on conflict do nothing;
    if found then
      insert into :schema.call (account, listener, event_id, stream_key, due_at)
      select p_account, listener, p_event->>'id', hashtextextended(p_event->>'stream', 0), p_moment
      from :schema.listener where event = p_event->>'name' and account = p_account order by listener;
    end if;
  end loop;
  return extract(epoch from p_moment) * 1000;
end
$body$;

-- Many changes, one commit; when each was made, in their order; -1 for one whose rows another transaction holds. One that is
-- refused or held has written nothing and takes nothing from the others. Nothing here waits for the lock of a row: what is
-- changed is locked first, as far as it is free. A transaction that is new has no row to lock yet, and an insert would wait
-- for another one of the same: an advisory lock stands for the row. The limit is for what else may wait, since a statement
-- that its client has given up must not hold a connection of the server.
create function :schema.commit_changes(p_changes jsonb)
returns setof float8 language plpgsql volatile
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set lock_timeout = '5s' as $body$
declare
  p_change jsonb;
  p_payment text;
  p_money text;
  p_payments text[];
  p_moneys text[];
begin
  select coalesce(array_agg(id), '{}') into p_payments from (
    select payment.id from :schema.payment payment
    where payment.id = any (array(
      select change->'payment'->>'id' from jsonb_array_elements(p_changes) as given(change)))
    order by payment.id for no key update skip locked) as free;
  select coalesce(array_agg(reference), '{}') into p_moneys from (
    select money.account || encode(money.reference_hash, 'hex') as reference from :schema.till_transaction money
    where money.reference_hash = any (array(
      select decode(change->'transaction'->>'referenceHash', 'hex')
      from jsonb_array_elements(p_changes) as given(change)))
    order by money.reference_hash for no key update skip locked) as free;
  for p_change in select value from jsonb_array_elements(p_changes) loop
    p_payment := p_change->'payment'->>'id';
    p_money := p_change->'transaction'->>'referenceHash';
    if (p_payment <> all (p_payments) and exists (select from :schema.payment where id = p_payment))
      or ((p_change->>'account') || p_money <> all (p_moneys) and exists (
        select from :schema.till_transaction
        where reference_hash = decode(p_money, 'hex') and account || '' = p_change->>'account'))
      or (p_money is not null and p_change->'transaction'->>'version' is null
        and not pg_try_advisory_xact_lock(hashtextextended('tillkit:transaction:' || p_money, 0)))
    then
      return next -1;
    else
      return next :schema.commit_change(
        p_change->>'account', nullif(p_change->'payment', 'null'), nullif(p_change->'transaction', 'null'),
        p_change->'events', p_change->'history');
    end if;
  end loop;
end
$body$;
`;
