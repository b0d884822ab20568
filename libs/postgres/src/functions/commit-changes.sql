-- Makes many changes in one commit and returns the result of each, in their order, and the calls of their events. A refused change has
-- written nothing and does not affect the others. A change is held, and has written nothing either, if another transaction holds one of
-- its rows. A change may come with the delivery that proves it: the delivery is stored as done if the change is made; else it is stored
-- as pending, with a lease for the caller. The change of a duplicate is not made.
--
-- All rows that the group writes into one table are one statement. The function does not wait for row locks. lock_timeout limits the other
-- waits: a statement that its client has given up must not keep a connection of the server busy.
create function :fn.commit_changes(p_changes jsonb, p_token text, p_bodies bytea)
returns setof text language plpgsql volatile
  set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan
  set lock_timeout = '5s' as $body$
declare
  p_stored text[] := '{}';
  -- A change that asks what an operation is asked when it is recorded comes alone, because it waits for the rows of its guards.
  p_asked constant jsonb := p_changes->0->'operation'->'asks';
  p_keys bytea[];
  p_verdicts text[];
  p_made jsonb;
  p_left jsonb;
  p_moment timestamptz;
  p_arrived_at constant timestamptz := :schema.clock();
  p_calls jsonb;
  -- Of deliveries that are left over, by their names.
  p_tokens jsonb;
begin
  -- An operation becomes 'requested' just before it is sent. After a crash of the server the row must still say that
  -- it may have been sent.
  if p_changes @> '[{"operation": {"set": {"state": "requested"}}}]' then
    perform :fn.make_durable();
    perform :fn.lock_sending(array(
      select value->>'account' from jsonb_array_elements(p_changes)
      where value->'operation'->'set'->>'state' = 'requested'));
  end if;
  if p_asked is not null then
    if p_asked ? 'dailyLimitMinor' then
      perform :fn.lock_day(p_asked->>'account', p_asked->>'kind', p_asked->>'currency');
    end if;
    p_keys := array(select decode(jsonb_array_elements_text(p_asked->'guardKeys'), 'hex'));
    perform from :fn.lock_guards(
      array_fill(p_asked->>'account', array[cardinality(p_keys)]), p_keys, array_fill(p_asked->>'id', array[cardinality(p_keys)]));
  end if;
  if p_bodies is not null then
    p_stored := :fn.store_arrived(p_changes, p_bodies, p_arrived_at);
  end if;
  p_verdicts := :fn.lock_changes(p_changes, p_stored);
  if p_asked is not null and :fn.refusal_of(p_asked) is not null then
    p_verdicts := '{refused}';
  end if;
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
    -- A path costs less than a statement that finds nothing to do.
    if p_made @? '$[*].operation.id' then
      perform :fn.write_operations(p_made, p_moment);
    end if;
    if p_made @? '$[*].transaction.reference' then
      perform :fn.write_transactions(p_made, p_moment);
    end if;
    if p_made @? '$[*].totals' then
      insert into :schema.total_change (account, committed_at, changes)
      select change->>'account', p_moment, jsonb_agg(entry)
      from jsonb_array_elements(p_made) as changes(change) cross join lateral jsonb_array_elements(change->'totals') as totals(entry)
      group by change->>'account';
    end if;
    if p_made @? '$[*].events[*]' then
      p_calls := :fn.write_events(p_made, p_moment, p_token);
    end if;
    if p_made @? '$[*].finishes.place' then
      perform :fn.finish_claims(
        array_agg(place), array_agg(token), array_agg(kind), array_agg(0::float8), array_agg(note))
      from jsonb_array_elements(p_made) as changes(change)
      cross join lateral jsonb_to_record(change->'finishes') as given(place bigint, token text, kind text, note text)
      where jsonb_typeof(change->'finishes') = 'object';
    end if;
  end if;
  if p_left is not null then
    with left_over as (
      insert into :schema.queue (lane, account, item, line, due_at, claimed_until, token, attempts)
      select kind, account, id, hashtextextended(account || ' ' || id, 0), p_arrived_at, p_moment + "leaseMs" * interval '1 millisecond',
        p_token, 1
      from jsonb_to_recordset(p_left) as given(account text, id text, kind text, "leaseMs" float8)
      returning account || ' ' || item as name, place || '.' || token as token
    )
    select jsonb_object_agg(name, token) into p_tokens from left_over;
  end if;
  return query
    select case
      when left_over.token is not null then json_build_object('kind', 'stored', 'token', left_over.token,
        'receivedAt', extract(epoch from p_arrived_at) * 1000)
      when verdict = 'made' then json_build_object('kind', 'committed', 'at', extract(epoch from p_moment) * 1000)
      else json_build_object('kind', verdict) end::text
    from unnest(p_verdicts) with ordinality as verdicts(verdict, place)
    cross join lateral (select p_changes->(place::integer - 1)->'delivery' as delivery) as given
    cross join lateral (select p_tokens->>((delivery->>'account') || ' ' || (delivery->>'id')) as token) as left_over
    order by place;
  return next coalesce(p_calls, '[]');
end
$body$;
