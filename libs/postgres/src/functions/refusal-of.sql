-- Returns what refuses an operation that is to be recorded or approved: others by their guards, or a limit. Null when nothing does. The caller has written the rows
-- of its guards, and of the day if it has a limit, so nobody else gets one of its keys meanwhile. `refusalOf` of the library says the same of guards:
-- which states refuse, and for how long what is paid does, comes with the operation.
create function :fn.refusal_of(p_operation jsonb)
returns jsonb language plpgsql volatile
  set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $body$
declare
  p_account constant text := p_operation->>'account';
  p_id constant text := p_operation->>'id';
  p_guard constant jsonb := p_operation->'guard';
  p_keys constant bytea[] := array(select decode(own->>'key', 'hex') from jsonb_array_elements(p_guard->'keys') as keys(own));
  p_plain constant text[] := array(select ltrim(jsonb_array_elements_text(p_operation->'tills'), 'Kk'));
  p_besides constant text[] := array(select jsonb_array_elements_text(p_operation->'besides'));
  p_limit constant numeric := (p_operation->>'dailyLimitMinor')::numeric;
  -- One of each for each key that another operation has in common.
  p_holders text[];
  p_at_till boolean[];
  p_paid interval[];
  p_refusal jsonb;
  p_used numeric;
begin
  select array_agg(holder), array_agg(coalesce("atTill", false)), array_agg(coalesce("paidForMs", 0) * interval '1 millisecond')
  into p_holders, p_at_till, p_paid
  from :schema.operation_guard guard
  cross join unnest(guard.holders) as holder
  join jsonb_to_recordset(p_guard->'keys') as own(key text, "atTill" boolean, "paidForMs" float8) on decode(own.key, 'hex') = guard.key
  -- The plan of a join alone, made for a few rows, would read all guards.
  where guard.key = any (p_keys) and guard.account || '' = p_account and holder <> p_id;
  if (p_holders is not null or p_besides <> '{}') and current_setting('transaction_isolation') <> 'read committed' then
    -- A repeatable read transaction must not decide on an old state: then this raises error 40001.
    perform from :schema.operation where id = any (p_holders || p_besides) and account || '' = p_account order by id for share;
  end if;
  if p_holders is not null or p_besides <> '{}' then
    select jsonb_build_object('kind', refusal, 'operations', jsonb_path_query_array(jsonb_agg(jsonb_build_object(
      'id', id, 'kind', kind, 'idempotencyKey', idempotency_key, 'order', request->'order', 'metadata', personal->'metadata', 'state', state,
      'since', extract(epoch from created_at) * 1000) order by created_at, id), '$[0 to 19]'))
    into p_refusal
    from (
      select operation.*, case
        when p_guard->'paid' ? state and (id = any (p_besides) or updated_at > :schema.clock() - shared.paid) then 'already_paid'
        when p_guard->'inFlight' ? state and shared.paid is not null and id <> all (p_besides) then 'in_flight' end as refusal
      from :schema.operation
      cross join lateral (
        select max(paid) as paid from unnest(p_holders, p_at_till, p_paid) as common(holder, at_till, paid)
        where holder = id
          and (not at_till or p_plain = '{}' or exists (select from unnest(tills) as own where ltrim(own, 'Kk') = any (p_plain)))) as shared
      where id = any (coalesce(p_holders, '{}') || p_besides) and account || '' = p_account and id <> p_id) as rival
    where refusal is not null
    group by refusal order by refusal limit 1;
  end if;
  if p_refusal is null and exists (
    select from jsonb_each_text(p_guard->'counted') as own(key, minor)
    where own.minor::numeric + (
      select coalesce(sum((counted->>own.key)::numeric), 0)
      from :schema.operation_guard guard cross join unnest(guard.holders) as holder
      join :schema.operation on id = holder and operation.account || '' = p_account
      where guard.key = decode(own.key, 'hex') and guard.account || '' = p_account and id <> p_id and :fn.is_of_last_day(operation)
    ) >= (p_operation->>'approveFromMinor')::numeric)
  then
    return '{"kind": "needs_approval"}';
  end if;
  if p_refusal is null and p_limit is not null then
    p_used := :fn.used_in_a_day(p_account, p_operation->>'kind', p_operation->>'currency', p_id);
    if p_used + (p_operation->>'amountMinor')::numeric > p_limit then
      return jsonb_build_object('kind', 'over_limit', 'usedMinor', p_used::text);
    end if;
  end if;
  return p_refusal;
end
$body$;
