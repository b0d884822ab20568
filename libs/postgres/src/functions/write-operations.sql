-- Writes the operations of changes and their history.
create function :fn.write_operations(p_changes jsonb, p_moment timestamptz)
returns void language plpgsql volatile as $body$
declare
  p_at constant jsonb := jsonb_build_array(extract(epoch from p_moment) * 1000);
begin
  with given as materialized (
    select change->>'account' as account, change->'operation'->>'id' as id, change->'operation' as operation,
      change->'operation'->'set' as fields, change->'operation'->'set'->>'state' as state, change->'history' as entries
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
      denied_at = case when fields ? 'deniedAt' then to_timestamp((fields->>'deniedAt')::float8 / 1000) else denied_at end,
      decided = coalesce((fields->>'decided')::boolean, decided),
      evidence = coalesce(fields->'evidence', evidence),
      empty_successes = coalesce((fields->>'emptySuccesses')::integer, empty_successes),
      sent_about = :fn.sent_about(sent_about, to_timestamp((fields->>'sentAt')::float8 / 1000)),
      failed_money = case
        when coalesce(given.state, operation.state) = 'failed' and (sent_at is not null or fields->>'sentAt' is not null)
        then :fn.expected_money(any_payer, phone_hash, amount_minor, currency) end,
      checks = coalesce((fields->>'checks')::integer, checks),
      history = history || coalesce((
        select jsonb_agg(p_at || entry order by number) from jsonb_array_elements(entries) with ordinality as each(entry, number)), '[]')
    from given
    where operation.id = given.id and operation.account || '' = given.account
    returning operation.account, operation.id, operation.kind, operation.state, operation.amount_minor, operation.currency,
      fields->>'platformId' as platform_id,
      given.operation ? 'dueInMs' as is_scheduled, (given.operation->>'dueInMs')::float8 as due_in_ms,
      operation.state = 'reversed' or given.operation ? 'dueInMs' and given.operation->>'dueInMs' is null as is_never_due,
      -- An operation that failed is queued only while it is due.
      operation.state = 'succeeded' and operation.cause is null
        or operation.state = 'failed' and given.operation ? 'dueInMs' and given.operation->>'dueInMs' is null as is_over,
      operation.state not in ('created', 'requested', 'pending', 'unknown') as followed,
      case when operation.state = 'needs_review' or operation.cause is not null and operation.state in ('succeeded', 'partially_succeeded')
          then 'in_review'
        when operation.state in ('partially_succeeded', 'reversed') then 'rare'
        when operation.state = 'created' and operation.kind <> 'payment' then 'unsent' end as listed_as,
      case when operation.state <> 'failed' then :fn.expected_money(any_payer, phone_hash, amount_minor, currency) end as money,
      operation.sent_about,
      operation.kind = 'payment' and operation.platform_id is null and operation.sent_at is not null
        and operation.state in ('unknown', 'needs_review') as unmatched
  ), named as (
    -- A name of another operation raises a unique violation.
    insert into :schema.platform_name (account, name, operation_id, is_transfer)
    select account, :fn.platform_name(kind, platform_id), id, false from changed
    where changed.platform_id is not null and not exists (
      select from :schema.platform_name known
      where known.name = :fn.platform_name(changed.kind, changed.platform_id) and known.account || '' = changed.account
        and known.operation_id || '' = changed.id)
  ), ended as (
    delete from :schema.operation_queue queued using changed
    where queued.id = changed.id and queued.account || '' = changed.account and is_over
  ), kept as (
    update :schema.operation_queue queued set
      followed = changed.followed, listed_as = changed.listed_as, money = changed.money, sent_about = changed.sent_about,
      unmatched = changed.unmatched,
      due_at = case
        when is_never_due then 'infinity'
        when not is_scheduled then due_at
        when due_once_more then p_moment
        else p_moment + due_in_ms * interval '1 millisecond' end,
      due_once_more = due_once_more and not is_scheduled,
      claimed_until = case when is_scheduled then null else claimed_until end
    from changed
    where queued.id = changed.id and queued.account || '' = changed.account and not is_over
      and (is_scheduled or is_never_due
        or (queued.followed, queued.listed_as, queued.money, queued.sent_about, queued.unmatched)
          is distinct from (changed.followed, changed.listed_as, changed.money, changed.sent_about, changed.unmatched))
  )
  insert into :schema.operation_queue (account, id, followed, listed_as, money, sent_about, unmatched, due_at)
  select account, id, followed, listed_as, money, sent_about, unmatched,
    case when is_never_due or not is_scheduled then 'infinity' else p_moment + due_in_ms * interval '1 millisecond' end
  from changed
  -- An open operation is queued since it was recorded.
  where followed and not is_over and (state <> 'failed' or is_scheduled)
  on conflict (id, account) do nothing;

  if p_changes @> '[{"operation": {"transfers": []}}]' then
    insert into :schema.platform_name (account, name, operation_id, is_transfer)
    select account, name, id, true from (
      select distinct change->>'account' as account, :fn.platform_name('transfer', reference) as name, change->'operation'->>'id' as id
      from jsonb_array_elements(p_changes) as changes(change)
      cross join lateral jsonb_array_elements_text(change->'operation'->'transfers') as transfers(reference)
      where jsonb_typeof(change->'operation'->'transfers') = 'array') as given
    where not exists (
      select from :schema.platform_name known
      where known.name = given.name and known.account || '' = given.account and known.operation_id || '' = given.id);
  end if;
end
$body$;
