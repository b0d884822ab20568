-- Finishes claims of calls and returns the numbers of the arguments whose claim was still valid. A call that succeeds at its first
-- attempt within a minute, as nearly all do, leaves nothing. state || '' is a comparison that no partial index can use: on an empty
-- table they look as good as call_pkey.
create function :fn.finish_calls(
  p_ids bigint[], p_tokens text[], p_kinds text[], p_in_ms float8[], p_notes text[])
returns setof bigint language plpgsql volatile
  set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $body$
begin
  return query
    with given as materialized (
      select * from unnest(p_ids, p_tokens, p_kinds, p_in_ms, p_notes)
      with ordinality as given(id, token, kind, in_ms, note, number)
    ), done as (
      delete from :schema.call using given
      where call.id = given.id and call.token = given.token and call.state || '' = 'pending' and given.kind = 'done'
      returning given.number, call.account, call.event_id, call.listener, call.attempts
    ), told as (
      update :schema.event set late_calls = coalesce(late_calls, '[]') || late.calls
      from (
        select event.account, event.id,
          jsonb_agg(jsonb_build_array(listener, attempts, extract(epoch from :schema.clock()) * 1000)) as calls
        from done join :schema.event on event.id = done.event_id and event.account || '' = done.account
        where attempts > 1 or event.created_at < :schema.clock() - interval '1 minute'
        group by event.account, event.id
      ) late
      where event.id = late.id and event.account || '' = late.account
    ), failed as (
      update :schema.call
      set token = null, claimed_until = null, last_error = given.note,
        state = case given.kind when 'retry' then 'pending' else 'dead' end,
        due_at = :schema.clock() + given.in_ms * interval '1 millisecond',
        died_at = case given.kind when 'retry' then null else :schema.clock() end
      from given
      where call.id = given.id and call.token = given.token and call.state || '' = 'pending' and given.kind <> 'done'
      returning given.number
    )
    select number from done union all select number from failed;
end
$body$;
