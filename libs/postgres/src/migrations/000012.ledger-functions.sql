-- Changes of the ledger. For the settings of the functions and the comparison of accounts see operation-functions.

-- Stores the deliveries that come with changes, and returns those that are not duplicates. In the order of keys, so that two groups
-- cannot deadlock.
create function :schema.store_arrived(p_changes jsonb, p_bodies bytea, p_moment timestamptz)
returns text[] language plpgsql volatile as $body$
declare
  p_stored text[];
begin
  with stored as (
    insert into :schema.delivery (account, id, key, kind, resource, resource_id, verified_by, body, traceparent, received_at)
    select given.account, given.id, decode(given.key, 'hex'), given.kind, given.resource, given."resourceId", given."verifiedBy",
      substring(p_bodies from given.from for given.length), given.traceparent, p_moment
    from jsonb_array_elements(p_changes) as changes(change)
    cross join lateral jsonb_to_record(change->'delivery') as given(
      account text, id text, key text, kind text, resource text, "resourceId" text, "verifiedBy" text, "from" integer, length integer, traceparent text)
    where jsonb_typeof(change->'delivery') = 'object'
    order by given.key
    on conflict (account, key) do nothing
    returning account, id
  )
  select coalesce(array_agg(account || ' ' || id), '{}') into p_stored from stored;
  return p_stored;
end
$body$;

-- Locks the rows that changes name and that no other transaction holds, operations first: two groups that change the same rows lock
-- them in the same order and cannot deadlock. Says of each change what can be made of it now, in their order:
-- made, duplicate (of its delivery), held (another transaction has one of its rows, or an earlier change of the group), or refused.
--
-- A new transaction has no row to lock, and two inserts of one reference would wait for each other, so an advisory lock stands for
-- the row. Each step is a statement of its own, so that it sees what others committed before the locks were free.
create function :schema.lock_changes(p_changes jsonb, p_stored text[])
returns text[] language plpgsql volatile as $body$
declare
  p_operations text[];
  p_transactions text[];
  p_verdicts text[];
begin
  select coalesce(array_agg(account || ' ' || id), '{}') into p_operations from (
    select operation.account, operation.id from :schema.operation
    where operation.id = any (array(
      select change->'operation'->>'id' from jsonb_array_elements(p_changes) as given(change)))
    order by operation.id for no key update skip locked) as free;
  select coalesce(array_agg(account || ' ' || hash), '{}') into p_transactions from (
    select account, encode(reference_hash, 'hex') as hash from :schema.transaction
    where reference_hash = any (array(
      select decode(change->'transaction'->>'referenceHash', 'hex') from jsonb_array_elements(p_changes) as given(change)))
    order by reference_hash for no key update skip locked) as free;
  p_transactions := p_transactions || array(
    select account || ' ' || hash from (
      select distinct change->>'account' as account, change->'transaction'->>'referenceHash' as hash
      from jsonb_array_elements(p_changes) as given(change)
      where jsonb_typeof(change->'transaction') = 'object' and change->'transaction'->>'version' is null) as new
    where pg_try_advisory_xact_lock(hashtextextended('tillkit:transaction:' || hash, 0)));

  with given as materialized (
    select place, change->>'account' as account, change->'operation'->>'id' as operation,
      (change->'operation'->>'version')::integer as operation_version,
      change->'operation'->'set'->>'state' = 'requested' as is_request,
      change->'transaction'->>'referenceHash' as hash, (change->'transaction'->>'version')::integer as transaction_version,
      jsonb_typeof(change->'delivery') is not distinct from 'object'
        and (change->'delivery'->>'account') || ' ' || (change->'delivery'->>'id') <> all (p_stored) as is_duplicate
    from jsonb_array_elements(p_changes) with ordinality as given(change, place)
  ), turn as (
    select *,
      operation is not null and row_number() over (partition by is_duplicate, account, operation order by place) > 1
      or hash is not null and row_number() over (partition by is_duplicate, account, hash order by place) > 1 as is_later
    from given
  )
  select array_agg(case
    when is_duplicate then 'duplicate'
    when turn.is_later
      or operation.id is not null and turn.account || ' ' || turn.operation <> all (p_operations)
      or turn.hash is not null and turn.account || ' ' || turn.hash <> all (p_transactions)
        and (transaction.version is not null or turn.transaction_version is null) then 'held'
    when turn.operation is not null and operation.version is distinct from turn.operation_version
      or turn.is_request and (:schema.clock() >= operation.send_before or not :schema.may_send(turn.account))
      or turn.hash is not null and transaction.version is distinct from turn.transaction_version then 'refused'
    else 'made' end order by place) into p_verdicts
  from turn
  left join :schema.operation on operation.id = turn.operation and operation.account || '' = turn.account
  left join :schema.transaction
    on transaction.reference_hash = decode(turn.hash, 'hex') and transaction.account || '' = turn.account;
  return p_verdicts;
end
$body$;

-- Writes the operations of changes and their history. An operation that settles is no longer in flight. Operations of the same amount and
-- customer that have no platform id become due, because a transaction may now be theirs without doubt; those of every customer if
-- anybody could pay it. Rows that another transaction has locked are skipped: waiting for them here would break the order of locks. A
-- redacted phone matches no operation.
create function :schema.write_operations(p_changes jsonb, p_moment timestamptz)
returns void language plpgsql volatile as $body$
declare
  p_settled jsonb;
begin
  with given as materialized (
    select change->>'account' as account, change->'operation'->>'id' as id, change->'operation' as operation,
      change->'operation'->'set' as fields, change->'operation'->'set'->>'state' as state
    from jsonb_array_elements(p_changes) as changes(change)
    where jsonb_typeof(change->'operation') = 'object'
  ), changed as (
    update :schema.operation set
      version = version + 1,
      updated_at = p_moment,
      redacted = false,
      state = coalesce(given.state, operation.state),
      platform_id = case when fields ? 'platformId' then fields->>'platformId' else platform_id end,
      transaction = case when fields ? 'transaction' then nullif(fields->'transaction', 'null') else transaction end,
      outcome = case when fields ? 'outcome' then nullif(fields->'outcome', 'null') else outcome end,
      approved_by = case when fields ? 'approvedBy' then fields->>'approvedBy' else approved_by end,
      approved_at = case when fields->>'approvedBy' is not null then p_moment else approved_at end,
      send_before = case when given.operation ? 'sendWithinMs'
        then p_moment + (given.operation->>'sendWithinMs')::float8 * interval '1 millisecond' else send_before end,
      settled_via = case when fields ? 'settledVia' then fields->>'settledVia' else settled_via end,
      reason = case when fields ? 'reason' then fields->>'reason' else reason end,
      errors = coalesce(fields->'errors', errors),
      cause = case when fields ? 'cause' then fields->>'cause' else cause end,
      cause_detail = case when fields ? 'causeDetail' then fields->>'causeDetail' else cause_detail end,
      sender = case when fields ? 'sender' then fields->>'sender' else sender end,
      sent_at = case when fields ? 'sentAt' then to_timestamp((fields->>'sentAt')::float8 / 1000) else sent_at end,
      window_swept = coalesce((fields->>'windowSwept')::boolean, window_swept),
      denied_at = case when fields ? 'deniedAt' then to_timestamp((fields->>'deniedAt')::float8 / 1000) else denied_at end,
      decided = coalesce((fields->>'decided')::boolean, decided),
      evidence = coalesce(fields->'evidence', evidence),
      empty_successes = coalesce((fields->>'emptySuccesses')::integer, empty_successes),
      checks = coalesce((fields->>'checks')::integer, checks),
      due_at = case
        when coalesce(given.state, operation.state) in ('succeeded', 'reversed') then null
        when due_once_more and given.operation->>'dueInMs' is not null then p_moment
        when given.operation ? 'dueInMs' then p_moment + (given.operation->>'dueInMs')::float8 * interval '1 millisecond'
        else due_at end,
      due_once_more = due_once_more and not given.operation ? 'dueInMs',
      claimed_until = case when given.operation ? 'dueInMs' then null else claimed_until end
    from given
    where operation.id = given.id and operation.account || '' = given.account
    returning operation.account, operation.id, operation.amount_minor, operation.currency, operation.any_payer, operation.phone_hash,
      given.state in ('succeeded', 'failed', 'reversed', 'needs_review')
        or fields->>'deniedAt' is not null or (fields->>'decided')::boolean as is_settled
  )
  select jsonb_agg(to_jsonb(changed)) filter (where is_settled and (any_payer or phone_hash <> '')) into p_settled from changed;

  insert into :schema.operation_history (account, operation_id, at, via, what, detail)
  select change->>'account', change->'operation'->>'id', p_moment, entry->>'via', entry->>'what', entry->>'detail'
  from jsonb_array_elements(p_changes) with ordinality as changes(change, place)
  cross join lateral jsonb_array_elements(change->'history') with ordinality as entries(entry, number)
  where jsonb_typeof(change->'operation') = 'object'
  order by place, number;

  -- A transfer of another operation raises a unique violation.
  if p_changes @> '[{"operation": {"transfers": []}}]' then
    insert into :schema.transfer (account, reference_hash, operation_id)
    select account, reference_hash, id from (
      select distinct change->>'account' as account, sha256(convert_to(reference, 'UTF8')) as reference_hash, change->'operation'->>'id' as id
      from jsonb_array_elements(p_changes) as changes(change)
      cross join lateral jsonb_array_elements_text(change->'operation'->'transfers') as transfers(reference)
      where jsonb_typeof(change->'operation'->'transfers') = 'array') as given
    where not exists (
      select from :schema.transfer known
      where known.reference_hash = given.reference_hash and known.account || '' = given.account and known.operation_id || '' = given.id);
  end if;

  if p_settled is not null then
    with waiting as materialized (
      select operation.account, operation.id
      from jsonb_to_recordset(p_settled) as settled(
        account text, id text, amount_minor text, currency text, any_payer boolean, phone_hash bytea)
      join :schema.operation
        on operation.amount_minor = settled.amount_minor and operation.currency = settled.currency
        and (settled.any_payer or operation.phone_hash = settled.phone_hash) and operation.account || '' = settled.account
        and operation.platform_id is null and operation.state in ('unknown', 'needs_review') and operation.id <> settled.id
      for no key update of operation skip locked
    )
    update :schema.operation set due_at = least(due_at, p_moment), due_once_more = true
    from (select distinct account, id from waiting) as waiting
    where operation.id = waiting.id and operation.account || '' = waiting.account;
  end if;
end
$body$;

-- Writes the transactions of changes. The caller holds their rows, and for each new one its advisory lock.
create function :schema.write_transactions(p_changes jsonb, p_moment timestamptz)
returns void language plpgsql volatile as $body$
begin
  with given as materialized (
    select change->>'account' as account, given.*
    from jsonb_array_elements(p_changes) as changes(change)
    cross join lateral jsonb_to_record(change->'transaction') as given(
      reference text, "referenceHash" text, version integer, sums jsonb, marks jsonb, several boolean, untied boolean,
      "originatedAt" float8, "amountHash" text, "payerHash" text)
    where jsonb_typeof(change->'transaction') = 'object'
  ), inserted as (
    -- 'on conflict': in a repeatable read transaction the row of another one may be there, but invisible. Then this raises error 40001
    -- (serialization_failure), and the statement is repeated.
    insert into :schema.transaction (
      account, reference_hash, reference, sums, marks, several, untied, originated_at, amount_hash, payer_hash, created_at)
    select account, decode("referenceHash", 'hex'), reference, sums, marks, several, untied,
      to_timestamp("originatedAt" / 1000), decode("amountHash", 'hex'), decode("payerHash", 'hex'), p_moment
    from given where version is null order by "referenceHash"
    on conflict do nothing
  )
  update :schema.transaction set
    version = transaction.version + 1,
    sums = given.sums,
    marks = given.marks,
    several = given.several,
    untied = given.untied,
    originated_at = to_timestamp("originatedAt" / 1000),
    amount_hash = decode("amountHash", 'hex'),
    payer_hash = decode("payerHash", 'hex'),
    redacted = false
  from given
  where given.version is not null
    and transaction.reference_hash = decode("referenceHash", 'hex') and transaction.account || '' = given.account;
end
$body$;

-- Writes the events of changes, without those that were written before, and their listener calls. Returns the calls by the place of
-- their change. A call of a listener that a change claims has a lease from the beginning, unless an earlier call of its listener
-- and stream waits.
create function :schema.write_events(p_changes jsonb, p_moment timestamptz, p_token text)
returns jsonb language plpgsql volatile as $body$
declare
  p_given jsonb;
  p_calls jsonb;
begin
  -- By event, because a join of two sets that are not tables compares each row of one with each row of the other.
  select jsonb_object_agg((change->>'account') || ' ' || (event->>'id'), jsonb_build_object(
      'change', place, 'claim', change->'claim') order by place desc) into p_given
  from jsonb_array_elements(p_changes) with ordinality as changes(change, place)
  cross join lateral jsonb_array_elements(change->'events') as events(event);
  if p_given is null then
    return '{}';
  end if;
  with written as (
    insert into :schema.event (account, id, name, stream, via, payload, amount, traceparent, created_at)
    select change->>'account', event->>'id', event->>'name', event->>'stream', coalesce(event->'payload'->>'via', ''),
      event->'payload', event->>'amount', event->>'traceparent', p_moment
    from jsonb_array_elements(p_changes) with ordinality as changes(change, place)
    cross join lateral jsonb_array_elements(change->'events') with ordinality as events(event, number)
    order by changes.place, number
    on conflict do nothing
    returning account, id, name, hashtextextended(stream, 0) as stream_key, place, p_given->(account || ' ' || id) as given
  ), listening as (
    select written.*, listener.listener,
      coalesce(given->'claim'->'listeners' ? listener.listener, false)
        and row_number() over (partition by written.account, stream_key, listener.listener order by written.place) = 1
        -- Not 'not exists': PostgreSQL may read the whole table for it once, into a hash, instead of the index for each row.
        and (select line.id from :schema.call line
          where line.stream_key = written.stream_key and line.listener = listener.listener and line.account = written.account
            and line.state || '' = 'pending' limit 1) is null as is_claimed
    from written
    join :schema.listener on listener.event = written.name and listener.account = written.account
  ), called as (
    insert into :schema.call (account, listener, event_id, event_place, stream_key, due_at, claimed_until, token, attempts)
    select account, listener, id, place, stream_key, p_moment,
      case when is_claimed then p_moment + (given->'claim'->>'leaseMs')::float8 * interval '1 millisecond' end,
      case when is_claimed then p_token end, is_claimed::integer
    from listening order by place, listener
    returning id, account, listener, event_id, token
  )
  select jsonb_object_agg(change, calls) into p_calls from (
    select p_given->(account || ' ' || event_id)->>'change' as change, jsonb_agg(jsonb_build_object(
      'id', id::text, 'listener', listener, 'eventId', event_id, 'token', token) order by called.id) as calls
    from called group by 1) as by_change;
  return coalesce(p_calls, '{}');
end
$body$;

-- Makes many changes in one commit and returns the result of each, in their order. A refused change has written nothing and does not
-- affect the others. A change is held, and has written nothing either, if another transaction holds one of its rows. A change may come
-- with the delivery that proves it: the delivery is stored as done if the change is made; else it is stored as pending, with a lease
-- for the caller. The change of a duplicate is not made.
--
-- What the group writes into one table is one statement. The function does not wait for row locks. lock_timeout limits the other
-- waits: a statement that its client has given up must not keep a connection of the server busy.
create function :schema.commit_changes(p_changes jsonb, p_token text, p_bodies bytea)
returns setof text language plpgsql volatile
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set lock_timeout = '5s' as $body$
declare
  p_stored text[] := '{}';
  p_verdicts text[];
  p_made jsonb;
  p_left jsonb;
  p_moment timestamptz;
  p_calls jsonb := '{}';
begin
  -- An operation becomes 'requested' just before it is sent. After a crash of the server the row must still say that
  -- it may have been sent.
  if p_changes @> '[{"operation": {"set": {"state": "requested"}}}]' then
    perform :schema.make_durable();
    perform :schema.lock_sending(array(
      select value->>'account' from jsonb_array_elements(p_changes)
      where value->'operation'->'set'->>'state' = 'requested'));
  end if;
  if p_bodies is not null then
    p_stored := :schema.store_arrived(p_changes, p_bodies, :schema.clock());
  end if;
  p_verdicts := :schema.lock_changes(p_changes, p_stored);
  if 'made' = all (p_verdicts) then
    p_made := p_changes;
  else
    select jsonb_agg(change order by place) filter (where p_verdicts[place] = 'made'),
      jsonb_agg(change->'delivery') filter (
        where p_verdicts[place] in ('held', 'refused') and jsonb_typeof(change->'delivery') = 'object')
    into p_made, p_left
    from jsonb_array_elements(p_changes) with ordinality as given(change, place);
  end if;
  p_moment := :schema.clock();
  if p_made is not null then
    perform :schema.write_operations(p_made, p_moment);
    perform :schema.write_transactions(p_made, p_moment);
    insert into :schema.total_change (account, committed_at, changes)
    select change->>'account', p_moment, change->'totals' from jsonb_array_elements(p_made) as changes(change)
    where jsonb_typeof(change->'totals') = 'array';
    p_calls := :schema.write_events(p_made, p_moment, p_token);
    if p_made @> '[{"finishes": {}}]' then
      perform :schema.finish_deliveries(
        array_agg(place), array_agg(token), array_agg(kind), array_agg(0::float8), array_agg(note))
      from jsonb_array_elements(p_made) as changes(change)
      cross join lateral jsonb_to_record(change->'finishes') as given(place bigint, token text, kind text, note text)
      where jsonb_typeof(change->'finishes') = 'object';
    end if;
  end if;
  return query
    with left_over as (
      insert into :schema.delivery_queue (account, id, kind, due_at, claimed_until, token, attempts)
      select account, id, kind, p_moment, p_moment + "leaseMs" * interval '1 millisecond', p_token, 1
      from jsonb_to_recordset(p_left) as given(account text, id text, kind text, "leaseMs" float8)
      returning account, id, place || '.' || token as token
    )
    select case
      when left_over.id is not null then json_build_object('kind', 'stored', 'token', left_over.token,
        'receivedAt', extract(epoch from p_moment) * 1000)
      when verdict = 'made' then json_build_object('kind', 'committed', 'at', extract(epoch from p_moment) * 1000,
        'calls', coalesce(p_calls->(count(*) filter (where verdict = 'made') over (order by place))::text, '[]'))
      else json_build_object('kind', verdict) end::text
    from unnest(p_verdicts) with ordinality as verdicts(verdict, place)
    left join left_over on left_over.id = p_changes->(place::integer - 1)->'delivery'->>'id'
      and left_over.account = p_changes->(place::integer - 1)->'delivery'->>'account'
    order by place;
end
$body$;
