-- Finishes claims of calls and returns the numbers of the arguments whose claim was still valid. A call that succeeds at its first
-- attempt within a minute, as nearly all do, leaves nothing. Nothing but calls is written or read: acknowledgements of one event by several
-- processes must not conflict where the default isolation is stricter. state || '' is a comparison that no partial index can use: on an empty
-- table they look as good as call_pkey.
create function :fn.finish_calls(
  p_ids bigint[], p_tokens text[], p_kinds text[], p_in_ms float8[], p_notes text[])
returns setof bigint language plpgsql volatile
  set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $body$
declare
  p_now constant timestamptz := :schema.clock();
begin
  return query
    with given as materialized (
      select * from unnest(p_ids, p_tokens, p_kinds, p_in_ms, p_notes)
      with ordinality as given(id, token, kind, in_ms, note, number)
    ), done as (
      delete from :schema.call using given
      where call.id = given.id and call.token = given.token and call.state || '' = 'pending'
        and given.kind = 'done' and call.attempts = 1 and call.due_at >= p_now - interval '1 minute'
      returning given.number
    ), kept as (
      update :schema.call
      set token = null, claimed_until = null, last_error = case given.kind when 'done' then null else given.note end,
        state = case given.kind when 'retry' then 'pending' when 'done' then 'done' else 'dead' end,
        due_at = p_now + given.in_ms * interval '1 millisecond',
        ended_at = case given.kind when 'retry' then null else p_now end
      from given
      where call.id = given.id and call.token = given.token and call.state || '' = 'pending'
        and not (given.kind = 'done' and call.attempts = 1 and call.due_at >= p_now - interval '1 minute')
      returning given.number
    )
    select number from done union all select number from kept;
end
$body$;
