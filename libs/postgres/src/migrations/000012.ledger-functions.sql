-- Changes of the ledger. For the settings of the functions and the comparison of accounts see operation-functions.

-- Writes an event and its listener calls, unless the event was written before. Returns the calls. A call of a listener in
-- p_claim has a lease from the beginning, unless an earlier call of its listener and stream waits.
create function :schema.write_event(
  p_account text, p_event jsonb, p_moment timestamptz, p_claim jsonb, p_token text)
returns jsonb language plpgsql volatile as $body$
declare
  p_stream_key constant bigint := hashtextextended(p_event->>'stream', 0);
  p_until constant timestamptz := p_moment + (p_claim->>'leaseMs')::float8 * interval '1 millisecond';
  p_place bigint;
  p_calls jsonb;
begin
  insert into :schema.event (account, id, name, stream, via, payload, created_at)
  values (
    p_account, p_event->>'id', p_event->>'name', p_event->>'stream', coalesce(p_event->'payload'->>'via', ''),
    p_event->'payload', p_moment)
  on conflict do nothing
  returning place into p_place;
  if not found then
    return '[]';
  end if;
  with listening as (
    select listener, coalesce(p_claim->'listeners' ? listener, false) and not exists (
      select from :schema.call line
      where line.stream_key = p_stream_key and line.listener = listener.listener and line.account = p_account
        and line.state || '' = 'pending') as is_claimed
    from :schema.listener where event = p_event->>'name' and account = p_account order by listener
  ), written as (
    insert into :schema.call (
      account, listener, event_id, event_place, stream_key, due_at, claimed_until, token, attempts)
    select p_account, listener, p_event->>'id', p_place, p_stream_key, p_moment,
      case when is_claimed then p_until end, case when is_claimed then p_token end, is_claimed::integer
    from listening
    returning id, listener, token
  )
  select jsonb_agg(jsonb_build_object(
    'id', id::text, 'listener', listener, 'eventId', p_event->>'id', 'token', token)) into p_calls from written;
  return coalesce(p_calls, '[]');
end
$body$;

-- Makes one change. Returns its time in epoch milliseconds and the listener calls of its events, or that it is refused because a
-- version is stale.
create function :schema.commit_change(
  p_account text, p_operation jsonb, p_transaction jsonb, p_events jsonb, p_history jsonb, p_claim jsonb, p_token text)
returns text language plpgsql volatile set enable_seqscan = off as $body$
declare
  p_refused constant text := '{"kind": "refused"}';
  p_calls jsonb := '[]';
  p_set constant jsonb := p_operation->'set';
  p_to constant text := p_set->>'state';
  p_event jsonb;
  p_moment constant timestamptz := :schema.clock();
  p_changed :schema.operation;
  p_waiting text;
begin
  -- An operation becomes 'requested' just before it is sent. After a crash of the server the row must still say that
  -- it may have been sent.
  if p_to = 'requested' then
    perform :schema.make_durable();
  end if;

  -- All versions are checked before the first write, the operation first: two transactions that change the same two
  -- rows lock them in the same order and cannot deadlock.
  if p_operation is not null and (p_transaction is not null or p_to = 'requested') then
    perform from :schema.operation
    where id = p_operation->>'id' and account || '' = p_account and version = (p_operation->>'version')::integer
      and (p_to is distinct from 'requested' or :schema.clock() < send_before)
    for no key update;
    if not found then
      return p_refused;
    end if;
  end if;

  if p_transaction is not null then
    if p_transaction->>'version' is null then
      insert into :schema.transaction (
        account, reference_hash, reference, sums, marks, several, untied, originated_at, amount_hash, payer_hash, created_at)
      values (
        p_account, decode(p_transaction->>'referenceHash', 'hex'), p_transaction->>'reference', p_transaction->'sums',
        p_transaction->'marks',
        (p_transaction->>'several')::boolean, (p_transaction->>'untied')::boolean,
        to_timestamp((p_transaction->>'originatedAt')::float8 / 1000), decode(p_transaction->>'amountHash', 'hex'),
        decode(p_transaction->>'payerHash', 'hex'), p_moment)
      on conflict do nothing;
    else
      update :schema.transaction set
        version = version + 1,
        sums = p_transaction->'sums',
        marks = p_transaction->'marks',
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
      return p_refused;
    end if;
  end if;

  if p_operation is not null then
    update :schema.operation set
      version = version + 1,
      updated_at = p_moment,
      redacted = false,
      state = coalesce(p_to, state),
      platform_id = case when p_set ? 'platformId' then p_set->>'platformId' else platform_id end,
      transaction = case when p_set ? 'transaction' then nullif(p_set->'transaction', 'null') else transaction end,
      outcome = case when p_set ? 'outcome' then nullif(p_set->'outcome', 'null') else outcome end,
      approved_by = case when p_set ? 'approvedBy' then p_set->>'approvedBy' else approved_by end,
      approved_at = case when p_set->>'approvedBy' is not null then p_moment else approved_at end,
      send_before = case when p_operation ? 'sendWithinMs'
        then p_moment + (p_operation->>'sendWithinMs')::float8 * interval '1 millisecond' else send_before end,
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
        when due_once_more and p_operation->>'dueInMs' is not null then p_moment
        when p_operation ? 'dueInMs' then p_moment + (p_operation->>'dueInMs')::float8 * interval '1 millisecond'
        else due_at end,
      due_once_more = due_once_more and not p_operation ? 'dueInMs',
      claimed_until = case when p_operation ? 'dueInMs' then null else claimed_until end
    where id = p_operation->>'id' and account || '' = p_account and version = (p_operation->>'version')::integer
    returning * into p_changed;
    if not found then
      return p_refused;
    end if;
    insert into :schema.operation_history (account, operation_id, at, via, what, detail)
    select p_account, p_operation->>'id', p_moment, entry->>'via', entry->>'what', entry->>'detail'
    from jsonb_array_elements(p_history) with ordinality as entries(entry, place) order by place;

    -- This operation is no longer in flight. Operations of the same amount and customer that have no platform id
    -- become due, because a transaction may now be theirs without doubt; those of every customer if anybody could pay it. Rows that another transaction has locked are
    -- skipped: waiting for them here would break the order of locks. A redacted phone matches no operation.
    if (p_to in ('succeeded', 'failed', 'reversed', 'needs_review')
        or p_set->>'deniedAt' is not null or (p_set->>'decided')::boolean)
      and (p_changed.any_payer or p_changed.phone_hash <> '') then
      for p_waiting in
        select id from :schema.operation
        where amount_minor = p_changed.amount_minor and currency = p_changed.currency
          and (p_changed.any_payer or phone_hash = p_changed.phone_hash) and account || '' = p_account
          and platform_id is null and state in ('unknown', 'needs_review') and id <> p_changed.id
        for no key update skip locked
      loop
        update :schema.operation set due_at = least(due_at, p_moment), due_once_more = true
        where id = p_waiting and account || '' = p_account;
      end loop;
    end if;
  end if;

  for p_event in select value from jsonb_array_elements(p_events) loop
    p_calls := p_calls || :schema.write_event(p_account, p_event, p_moment, p_claim, p_token);
  end loop;
  return json_build_object('kind', 'committed', 'at', extract(epoch from p_moment) * 1000, 'calls', p_calls)::text;
end
$body$;

-- Stores the deliveries that come with changes, and returns the ids of those that are not duplicates. In the order of keys, so that
-- two groups cannot deadlock.
create function :schema.store_arrived(p_changes jsonb, p_bodies bytea, p_moment timestamptz)
returns text[] language plpgsql volatile as $body$
declare
  p_stored text[];
begin
  with stored as (
    insert into :schema.delivery (account, id, key, kind, resource, resource_id, verified_by, body, received_at)
    select given.account, given.id, decode(given.key, 'hex'), given.kind, given.resource, given."resourceId", given."verifiedBy",
      substring(p_bodies from given.from for given.length), p_moment
    from jsonb_array_elements(p_changes) as changes(change)
    cross join lateral jsonb_to_record(change->'delivery') as given(
      account text, id text, key text, kind text, resource text, "resourceId" text, "verifiedBy" text, "from" integer, length integer)
    where jsonb_typeof(change->'delivery') = 'object'
    order by given.key
    on conflict (account, key) do nothing
    returning account, id
  )
  select coalesce(array_agg(account || ' ' || id), '{}') into p_stored from stored;
  return p_stored;
end
$body$;

-- Makes many changes in one commit and returns the result of each, in their order. A refused change has written nothing and does not
-- affect the others. A change is held, and has written nothing either, if another transaction holds one of its rows. A change may come
-- with the delivery that proves it: the delivery is stored as done if the change is made; else it is stored as pending, with a lease
-- for the caller. The change of a duplicate is not made.
--
-- The function does not wait for row locks: it first locks the rows that are free. A new transaction has no row to
-- lock, and two inserts of one reference would wait for each other, so an advisory lock stands for the row.
-- lock_timeout limits the other waits: a statement that its client has given up must not keep a connection of the
-- server busy.
create function :schema.commit_changes(p_changes jsonb, p_token text, p_bodies bytea)
returns setof text language plpgsql volatile
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set lock_timeout = '5s' as $body$
declare
  p_change jsonb;
  p_delivery jsonb;
  p_result text;
  p_operation text;
  p_reference_hash text;
  p_free_operations text[];
  p_free_transactions text[];
  p_stored text[];
  p_moment timestamptz;
  p_finished jsonb := '[]';
begin
  if p_bodies is not null then
    p_stored := :schema.store_arrived(p_changes, p_bodies, :schema.clock());
  end if;
  select coalesce(array_agg(id), '{}') into p_free_operations from (
    select operation.id from :schema.operation
    where operation.id = any (array(
      select change->'operation'->>'id' from jsonb_array_elements(p_changes) as given(change)))
    order by operation.id for no key update skip locked) as free;
  select coalesce(array_agg(reference), '{}') into p_free_transactions from (
    select transaction.account || encode(transaction.reference_hash, 'hex') as reference from :schema.transaction
    where transaction.reference_hash = any (array(
      select decode(change->'transaction'->>'referenceHash', 'hex')
      from jsonb_array_elements(p_changes) as given(change)))
    order by transaction.reference_hash for no key update skip locked) as free;
  for p_change in select value from jsonb_array_elements(p_changes) loop
    p_delivery := nullif(p_change->'delivery', 'null');
    if p_delivery is not null and (p_delivery->>'account') || ' ' || (p_delivery->>'id') <> all (p_stored) then
      return next '{"kind": "duplicate"}';
      continue;
    end if;
    p_operation := p_change->'operation'->>'id';
    p_reference_hash := p_change->'transaction'->>'referenceHash';
    if (p_operation <> all (p_free_operations) and exists (select from :schema.operation where id = p_operation))
      or ((p_change->>'account') || p_reference_hash <> all (p_free_transactions) and exists (
        select from :schema.transaction
        where reference_hash = decode(p_reference_hash, 'hex') and account || '' = p_change->>'account'))
      or (p_reference_hash is not null and p_change->'transaction'->>'version' is null
        and not pg_try_advisory_xact_lock(hashtextextended('tillkit:transaction:' || p_reference_hash, 0)))
    then
      p_result := '{"kind": "held"}';
    else
      p_result := :schema.commit_change(
        p_change->>'account', nullif(p_change->'operation', 'null'), nullif(p_change->'transaction', 'null'),
        p_change->'events', p_change->'history', p_change->'claim', p_token);
    end if;
    if p_delivery is not null and p_result in ('{"kind": "held"}', '{"kind": "refused"}') then
      p_moment := :schema.clock();
      insert into :schema.delivery_queue (account, id, kind, due_at, claimed_until, token, attempts)
      values (
        p_delivery->>'account', p_delivery->>'id', p_delivery->>'kind', p_moment,
        p_moment + (p_delivery->>'leaseMs')::float8 * interval '1 millisecond', p_token, 1)
      returning json_build_object(
        'kind', 'stored', 'token', place || '.' || token, 'receivedAt', extract(epoch from p_moment) * 1000)::text
      into p_result;
    end if;
    if jsonb_typeof(p_change->'finishes') = 'object' and p_result like '%"committed"%' then
      p_finished := p_finished || (p_change->'finishes');
    end if;
    return next p_result;
  end loop;
  if p_finished <> '[]' then
    perform :schema.finish_deliveries(
      array_agg(place), array_agg(token), array_agg(kind), array_agg(0::float8), array_agg(note))
    from jsonb_to_recordset(p_finished) as given(place bigint, token text, kind text, note text);
  end if;
end
$body$;
