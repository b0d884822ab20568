-- Claiming, finishing and renewing listener calls. For the settings of the functions see operation-functions.

-- Claims due calls by index call_due, one account and listener after the other until p_limit is reached, so calls of
-- listeners that no process has any more cost nothing. p_wanted names accounts and their listeners, and the most that each
-- may have: one that is slow must leave room for the others. Only the first pending call of a stream (index call_line) can
-- be claimed: a listener receives the events of one stream in order.
create function :schema.claim_calls(p_wanted jsonb, p_limit integer, p_lease_ms float8)
returns table (
  id bigint, account text, token text, listener text, event_id text, attempts integer, event text, stream text,
  payload jsonb)
language plpgsql volatile
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off
  set enable_mergejoin = off set plan_cache_mode = force_custom_plan as $body$
#variable_conflict use_column
declare
  p_now constant timestamptz := :schema.clock();
begin
  perform set_config('synchronous_commit', 'off', true);
  return query
    with due as (
      select of_account.id
      from jsonb_to_recordset(p_wanted) as wanted(account text, most integer, listeners jsonb)
      cross join lateral (
        select of_listener.id
        from jsonb_to_recordset(wanted.listeners) as own(id text, most integer)
        cross join lateral (
          select call.id from :schema.call
          where call.account = wanted.account and call.listener = own.id and call.state = 'pending'
            and call.due_at <= p_now and (call.claimed_until is null or call.claimed_until <= p_now)
            and call.id = (
              select line.id from :schema.call line
              where line.account = wanted.account and line.listener = own.id
                and line.stream_key = call.stream_key and line.state = 'pending'
              order by line.id limit 1)
          order by call.due_at, call.id limit own.most for no key update of call skip locked
        ) of_listener
        limit wanted.most
      ) of_account
      limit p_limit
    ), claimed as (
      update :schema.call
      set attempts = attempts + 1, token = gen_random_uuid()::text,
        claimed_until = p_now + p_lease_ms * interval '1 millisecond'
      from due where call.id = due.id
      returning call.id, call.account, call.token, call.listener, call.event_id, call.attempts
    )
    select claimed.id, claimed.account, claimed.token, claimed.listener, claimed.event_id, claimed.attempts, event.name,
      event.stream, event.payload
    from claimed join :schema.event on event.account = claimed.account and event.id = claimed.event_id;
end
$body$;

-- Finishes claims of calls and returns the numbers of the arguments whose claim was still valid. A call that
-- succeeded moves to completed_call.
create function :schema.finish_calls(
  p_ids bigint[], p_tokens text[], p_kinds text[], p_in_ms float8[], p_notes text[])
returns setof bigint language plpgsql volatile
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
begin
  return query
    with given as materialized (
      select * from unnest(p_ids, p_tokens, p_kinds, p_in_ms, p_notes)
      with ordinality as given(id, token, kind, in_ms, note, number)
    ), done as (
      delete from :schema.call using given
      where call.id = given.id and call.token = given.token and call.state = 'pending' and given.kind = 'done'
      returning given.number, call.account, call.event_id, call.listener, call.attempts
    ), completed as (
      insert into :schema.completed_call (event_place, listener, attempts, at)
      select event.place, done.listener, done.attempts, :schema.clock()
      from done join :schema.event on event.id = done.event_id and event.account = done.account
    ), failed as (
      update :schema.call
      set token = null, claimed_until = null, last_error = given.note,
        state = case given.kind when 'retry' then 'pending' else 'dead' end,
        due_at = :schema.clock() + given.in_ms * interval '1 millisecond',
        died_at = case given.kind when 'retry' then null else :schema.clock() end
      from given
      where call.id = given.id and call.token = given.token and call.state = 'pending' and given.kind <> 'done'
      returning given.number
    )
    select number from done union all select number from failed;
end
$body$;

-- Extends the leases of calls and returns the ids of those whose claim was still valid.
create function :schema.renew_calls(p_ids bigint[], p_tokens text[], p_lease_ms float8)
returns setof bigint language plpgsql volatile
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  p_now constant timestamptz := :schema.clock();
begin
  perform set_config('synchronous_commit', 'off', true);
  return query
    update :schema.call set claimed_until = p_now + p_lease_ms * interval '1 millisecond'
    from unnest(p_ids, p_tokens) as given(id, token)
    where call.id = given.id and call.token = given.token and call.state = 'pending'
    returning call.id;
end
$body$;
