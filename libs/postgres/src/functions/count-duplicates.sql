-- Counts duplicates. The rows are locked in the order of their keys, so that two such statements cannot deadlock. A
-- duplicate of an unrecognised delivery puts it back into the queue, unless it is there: in a minute, so that a delivery
-- that comes a thousand times is processed once. The statement does not wait for a delivery that is just being finished.
create function :fn.count_duplicates(p_accounts text[], p_keys text[], p_times integer[])
returns void language plpgsql volatile
  set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $body$
begin
  with known as (
    select delivery.account, delivery.id, delivery.kind, delivery.outcome, given.times
    from unnest(p_accounts, p_keys, p_times) as given(account, key, times)
    join :schema.delivery on delivery.key = decode(given.key, 'hex')
      and delivery.account || '' = given.account
    order by delivery.key, delivery.account
    for no key update of delivery
  ), due_again as (
    insert into :schema.queue (lane, account, item, line, due_at)
    select kind, account, id, hashtextextended(account || ' ' || id, 0), :schema.clock() + interval '1 minute' from known
    -- Not 'not exists', as in write_events.
    where outcome = 'unrecognised' and (
      select queue.place from :schema.queue
      where queue.line = hashtextextended(known.account || ' ' || known.id, 0) and queue.item = known.id limit 1) is null
  )
  update :schema.delivery set duplicates = duplicates + known.times
  from known where delivery.id = known.id and delivery.account || '' = known.account;
end
$body$;
