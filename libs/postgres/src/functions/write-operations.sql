-- Writes the operations of changes and their history. An operation that settles is no longer in flight. Operations of the same amount and
-- customer that have no platform id become due, because a transaction may now be theirs without doubt; those of every customer if
-- anybody could pay it. Rows that another transaction has locked are skipped: waiting for them here would break the order of locks. A
-- redacted phone matches no operation.
create function :fn.write_operations(p_changes jsonb, p_moment timestamptz)
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
