-- Locks the rows that changes name and that no other transaction holds, operations first: two groups that change the same rows lock
-- them in the same order and cannot deadlock. Says of each change what can be made of it now, in their order:
-- made, duplicate (of its delivery), held (another transaction has one of its rows, or an earlier change of the group), or refused.
--
-- A new transaction has no row to lock, and two inserts of one reference would wait for each other, so an advisory lock stands for
-- the row. Each step is a statement of its own, so that it sees what others committed before the locks were free.
create function :fn.lock_changes(p_changes jsonb, p_stored text[])
returns text[] language plpgsql volatile as $body$
declare
  p_operations text[] := '{}';
  p_transactions text[] := '{}';
  p_verdicts text[];
  -- A pause waits for the locks of sending, which commit_changes has taken.
  p_paused constant text[] := array(select account from :schema.pause where is_current);
begin
  if p_changes @? '$[*].operation.id' then
    select coalesce(array_agg(account || ' ' || id), '{}') into p_operations from (
      select operation.account, operation.id from :schema.operation
      where operation.id = any (array(
        select change->'operation'->>'id' from jsonb_array_elements(p_changes) as given(change)))
      order by operation.id for no key update skip locked) as free;
  end if;
  if p_changes @? '$[*].transaction.reference' then
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
  end if;

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
      or turn.is_request and (:schema.clock() >= operation.send_before or turn.account = any (p_paused) or '*' = any (p_paused))
      or turn.hash is not null and transaction.version is distinct from turn.transaction_version then 'refused'
    else 'made' end order by place) into p_verdicts
  from turn
  -- One row each: the plan of a join that was made for few rows would read all of them.
  left join lateral (
    select id, version, send_before from :schema.operation
    where operation.id = turn.operation and operation.account || '' = turn.account limit 1) operation on true
  left join lateral (
    select version from :schema.transaction
    where transaction.reference_hash = decode(turn.hash, 'hex') and transaction.account || '' = turn.account limit 1) transaction on true;
  return p_verdicts;
end
$body$;
