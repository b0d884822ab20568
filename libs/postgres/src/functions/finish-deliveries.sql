-- Finishes claims of deliveries and returns the numbers of the arguments whose claim was still valid. The token of a
-- claim contains the place of its row in the queue. The delivery itself is written only if its row changes: a
-- delivery that succeeded at the first attempt needs no update.
create function :fn.finish_deliveries(
  p_places bigint[], p_tokens text[], p_kinds text[], p_in_ms float8[], p_notes text[])
returns setof bigint language plpgsql volatile
  set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $body$
begin
  return query
    with given as materialized (
      select * from unnest(p_places, p_tokens, p_kinds, p_in_ms, p_notes)
      with ordinality as given(place, token, kind, in_ms, note, number)
    ), retried as (
      update :schema.delivery_queue queue
      set token = null, claimed_until = null, due_at = :schema.clock() + given.in_ms * interval '1 millisecond',
        last_error = given.note
      from given
      where queue.place = given.place and queue.token = given.token and given.kind = 'retry'
      returning given.number
    ), finished as (
      delete from :schema.delivery_queue queue using given
      where queue.place = given.place and queue.token = given.token and given.kind <> 'retry'
      returning given.number, queue.account, queue.id, queue.attempts, given.kind, given.note
    ), noted as (
      update :schema.delivery
      set outcome = case finished.kind when 'done' then 'done' else 'unrecognised' end,
        attempts = finished.attempts, last_error = finished.note
      from finished
      where delivery.id = finished.id and delivery.account || '' = finished.account
        and (finished.kind, finished.attempts, finished.note, delivery.outcome, delivery.last_error)
          is distinct from ('done', 1, null, 'done', null)
    )
    select number from retried union all select number from finished;
end
$body$;
