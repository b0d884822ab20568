/**
 * The two changes that every payment makes: one round trip and one commit for all that are asked for at the same time,
 * planned once for each connection (PostgreSQL's own, of which PgBouncer knows nothing) instead of once for each call.
 *
 * Without sequential scans, because a plan made while a table was empty must not be used when it no longer is. For the same
 * reason rows are found by what tells them apart, and the account is compared in a way that no index takes
 * (\`account || ''\`): on an empty table, any index with the account in it looks as good as the right one.
 */
export const LEDGER_FUNCTIONS = `
create function :schema.record_payment(p_payment jsonb, p_send_before_ms float8, p_due_in_ms float8)
returns text language plpgsql volatile set enable_seqscan = off as $body$
declare
  p_account constant text := p_payment->>'account';
  p_key constant text := p_payment->>'idempotencyKey';
  p_till constant text := p_payment->>'tillKey';
  p_currency constant text := p_payment->>'currency';
  p_minor constant text := p_payment->>'amountMinor';
  p_phone constant bytea := decode(p_payment->>'phoneHash', 'hex');
  p_parallel constant boolean := (p_payment->>'allowParallel')::boolean;
  p_moment constant timestamptz := clock_timestamp();
  p_found text;
begin
  -- Each statement of a volatile function sees what was committed before it: the insert waits for its rival, the reads
  -- after it see that rival. A rival that is gone by then leaves the place free: once more, then.
  for attempt in 1..5 loop
    insert into :schema.payment (
      account, id, idempotency_key, fingerprint, channel, till_number, till_key, subscriber, phone_hash, currency, amount,
      amount_minor, metadata, allow_parallel, send_before, due_at, created_at, updated_at)
    select
      p_account, p_payment->>'id', p_key, p_payment->>'fingerprint', p_payment->>'channel', p_payment->>'tillNumber',
      p_till, p_payment->'subscriber', p_phone, p_currency, p_payment->>'amount', p_minor,
      nullif(p_payment->'metadata', 'null'), p_parallel, p_moment + p_send_before_ms * interval '1 millisecond',
      p_moment + p_due_in_ms * interval '1 millisecond', p_moment, p_moment
    where p_parallel or not exists (
      select from :schema.payment rival
      where rival.account || '' = p_account and rival.till_key = p_till and rival.currency = p_currency
        and rival.amount_minor = p_minor and rival.phone_hash = p_phone
        and rival.state in ('created', 'requested', 'pending', 'unknown') and rival.allow_parallel)
    on conflict do nothing;
    if found then
      return json_build_object('kind', 'recorded', 'at', extract(epoch from p_moment) * 1000)::text;
    end if;
    select id into p_found from :schema.payment where idempotency_key = p_key and account || '' = p_account;
    if found then
      return json_build_object('kind', 'existing', 'id', p_found)::text;
    end if;
    if not p_parallel then
      -- two branches, for two partial indexes
      select rival.id into p_found from (
        select id from :schema.payment
        where phone_hash = p_phone and amount_minor = p_minor and till_key = p_till and currency = p_currency
          and account || '' = p_account and state in ('created', 'requested', 'pending', 'unknown')
          and not allow_parallel
        union all
        select id from :schema.payment
        where phone_hash = p_phone and amount_minor = p_minor and till_key = p_till and currency = p_currency
          and account || '' = p_account and state in ('created', 'requested', 'pending', 'unknown')
          and allow_parallel) rival
      limit 1;
      if found then
        return json_build_object('kind', 'in_flight', 'id', p_found)::text;
      end if;
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

-- One change: the time at which it was made, as epoch milliseconds; null when it was refused.
create function :schema.commit_change(
  p_account text, p_payment jsonb, p_transaction jsonb, p_events jsonb, p_history jsonb)
returns float8 language plpgsql volatile set enable_seqscan = off as $body$
declare
  p_set jsonb;
  p_event jsonb;
  p_moment constant timestamptz := clock_timestamp();
begin
  -- All that can be stale is looked at before anything is written, payment first: whoever changes the same two rows
  -- waits for the first of them and cannot wait in a circle.
  if p_payment is not null and p_transaction is not null then
    perform from :schema.payment
    where id = p_payment->>'id' and account || '' = p_account and version = (p_payment->>'version')::integer
    for no key update;
    if not found then
      return null;
    end if;
  end if;

  if p_transaction is not null then
    p_set := p_transaction->'set';
    if p_transaction->>'version' is null then
      insert into :schema.till_transaction (
        account, money_hash, reference, till_key, received, reversal, webhook_event_ids, payment_id, announced,
        originated_at, currency, amount_minor, amount_hash, created_at)
      values (
        p_account, decode(p_transaction->>'moneyHash', 'hex'), p_transaction->>'reference', p_transaction->>'tillKey',
        nullif(p_set->'received', 'null'), nullif(p_set->'reversal', 'null'), p_set->'webhookEventIds',
        p_set->>'paymentId', (p_set->>'announced')::boolean,
        to_timestamp((p_set->>'originatedAt')::float8 / 1000), p_set->>'currency', p_set->>'amountMinor',
        decode(p_set->>'amountHash', 'hex'), p_moment)
      on conflict do nothing;
    else
      update :schema.till_transaction set
        version = version + 1,
        received = nullif(p_set->'received', 'null'),
        reversal = nullif(p_set->'reversal', 'null'),
        webhook_event_ids = p_set->'webhookEventIds',
        payment_id = p_set->>'paymentId',
        announced = (p_set->>'announced')::boolean,
        originated_at = to_timestamp((p_set->>'originatedAt')::float8 / 1000),
        currency = p_set->>'currency',
        amount_minor = p_set->>'amountMinor',
        amount_hash = decode(p_set->>'amountHash', 'hex'),
        redacted = false
      where money_hash = decode(p_transaction->>'moneyHash', 'hex') and account || '' = p_account
        and version = (p_transaction->>'version')::integer;
    end if;
    if not found then
      return null;
    end if;
  end if;

  if p_payment is not null then
    p_set := p_payment->'set';
    update :schema.payment set
      version = version + 1,
      updated_at = p_moment,
      redacted = false,
      state = coalesce(p_set->>'state', state),
      platform_id = case when p_set ? 'platformId' then p_set->>'platformId' else platform_id end,
      transaction = case when p_set ? 'transaction' then nullif(p_set->'transaction', 'null') else transaction end,
      reason = case when p_set ? 'reason' then p_set->>'reason' else reason end,
      errors = coalesce(p_set->'errors', errors),
      cause = case when p_set ? 'cause' then p_set->>'cause' else cause end,
      cause_detail = case when p_set ? 'causeDetail' then p_set->>'causeDetail' else cause_detail end,
      sent_at = case when p_set ? 'sentAt' then to_timestamp((p_set->>'sentAt')::float8 / 1000) else sent_at end,
      empty_successes = coalesce((p_set->>'emptySuccesses')::integer, empty_successes),
      checks = coalesce((p_set->>'checks')::integer, checks),
      due_at = case
        when coalesce(p_set->>'state', state) in ('succeeded', 'failed', 'reversed') then null
        when p_payment ? 'dueInMs' then p_moment + (p_payment->>'dueInMs')::float8 * interval '1 millisecond'
        else due_at end,
      claimed_until = case when p_payment ? 'dueInMs' then null else claimed_until end
    where id = p_payment->>'id' and account || '' = p_account and version = (p_payment->>'version')::integer;
    if not found then
      return null;
    end if;
    insert into :schema.payment_history (account, payment_id, at, via, what, detail)
    select p_account, p_payment->>'id', p_moment, entry->>'via', entry->>'what', entry->>'detail'
    from jsonb_array_elements(p_history) with ordinality as entries(entry, place) order by place;
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

-- Many payments, one commit; what happened to each, in their order.
create function :schema.record_payments(p_payments jsonb)
returns setof text language plpgsql volatile as $body$
declare
  p_payment jsonb;
begin
  for p_payment in select value from jsonb_array_elements(p_payments) loop
    return next :schema.record_payment(
      p_payment, (p_payment->>'sendBeforeMs')::float8, (p_payment->>'dueInMs')::float8);
  end loop;
end
$body$;

-- Many changes, one commit; when each was made, in their order. One that is refused has written nothing and takes
-- nothing from the others. What they change is locked first, in one order for everybody, so that two groups wait for
-- each other and never in a circle.
create function :schema.commit_changes(p_changes jsonb)
returns setof float8 language plpgsql volatile
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  p_change jsonb;
begin
  if jsonb_array_length(p_changes) > 1 then
    perform from :schema.payment payment
    where payment.id = any (array(
      select change->'payment'->>'id' from jsonb_array_elements(p_changes) as given(change)))
    order by payment.id for no key update;
    perform from :schema.till_transaction money
    where money.money_hash = any (array(
      select decode(change->'transaction'->>'moneyHash', 'hex')
      from jsonb_array_elements(p_changes) as given(change)))
    order by money.money_hash for no key update;
  end if;
  for p_change in select value from jsonb_array_elements(p_changes) loop
    return next :schema.commit_change(
      p_change->>'account', nullif(p_change->'payment', 'null'), nullif(p_change->'transaction', 'null'),
      p_change->'events', p_change->'history');
  end loop;
end
$body$;
`;
