-- Finishes claims and returns the numbers of the arguments whose claim was still valid. A delivery that succeeded at the first attempt needs no
-- update, and a call that succeeds at its first attempt within a minute, as nearly all do, leaves nothing. Of calls nothing but the queue is
-- written or read: acknowledgements of one event by several processes must not conflict where the default isolation is stricter. Without the
-- list of places, a plan that was made for a short queue would read all of a long one.
create function :fn.finish_claims(
  p_places bigint[], p_tokens text[], p_kinds text[], p_in_ms float8[], p_notes text[])
returns setof bigint language plpgsql volatile
  set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $body$
declare
  p_now constant timestamptz := :schema.clock();
begin
  return query
    with given as materialized (
      select * from unnest(p_places, p_tokens, p_kinds, p_in_ms, p_notes)
      with ordinality as given(place, token, kind, in_ms, note, number)
    ), ended as (
      delete from :schema.queue using given
      where queue.place = any (p_places) and queue.place = given.place and queue.token = given.token and given.kind <> 'retry'
        and (queue.listener is null or given.kind = 'done' and queue.attempts = 1 and queue.due_at >= p_now - interval '1 minute')
      returning given.number, given.kind, given.note, queue.account, queue.item, queue.listener, queue.attempts
    ), kept as (
      update :schema.queue
      set token = null, claimed_until = null, due_at = p_now + given.in_ms * interval '1 millisecond',
        last_error = case given.kind when 'done' then null else given.note end,
        lane = case given.kind when 'retry' then lane when 'done' then 'done' else 'dead ' || account end
      from given
      where queue.place = any (p_places) and queue.place = given.place and queue.token = given.token and not (given.kind <> 'retry'
        and (queue.listener is null or given.kind = 'done' and queue.attempts = 1 and queue.due_at >= p_now - interval '1 minute'))
      returning given.number
    ), deleted as (
      delete from :schema.delivery using ended
      where ended.kind = 'deleted' and delivery.id = ended.item and delivery.account || '' = ended.account
    ), noted as (
      update :schema.delivery
      set outcome = case ended.kind when 'done' then 'done' else 'unrecognised' end, attempts = ended.attempts, last_error = ended.note
      from ended
      where ended.listener is null and ended.kind <> 'deleted' and delivery.id = ended.item and delivery.account || '' = ended.account
        and (ended.kind, ended.attempts, ended.note, delivery.outcome, delivery.last_error)
          is distinct from ('done', 1, null, 'done', null)
    )
    select number from ended union all select number from kept;
end
$body$;
