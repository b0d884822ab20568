-- Claims due calls by index call_due, one account and listener after the other until p_limit is reached, so calls of
-- listeners that no process has any more cost nothing. p_wanted names accounts and their listeners, and the most that each
-- may have: one that is slow must leave room for the others. Only the first pending call of a stream (index call_line) can
-- be claimed: a listener receives the events of one stream in order.
create function :fn.claim_calls(p_wanted jsonb, p_limit integer, p_lease_ms float8)
returns table (
  id bigint, account text, token text, listener text, event_id text, attempts integer, event text, stream text,
  payload jsonb, traceparent text)
language plpgsql volatile
  set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off
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
      event.stream, event.payload, event.traceparent
    from claimed join :schema.event on event.account = claimed.account and event.id = claimed.event_id;
end
$body$;
