-- Storing and finishing deliveries. For the settings of the functions see operation-functions.

-- Stores many deliveries in one commit and returns those that are not duplicates, with the token of the claim of those that have a
-- lease. All bodies are concatenated in one parameter, which the driver sends as bytes.
create function :schema.store_deliveries(
  p_accounts text[], p_ids text[], p_keys text[], p_kinds text[], p_resources text[], p_resource_ids text[],
  p_verified_by text[], p_from integer[], p_lengths integer[], p_bodies bytea, p_leases float8[], p_traceparents text[], p_token text)
returns table (account text, id text, token text, received_at timestamptz) language plpgsql volatile as $body$
#variable_conflict use_column
declare
  p_moment constant timestamptz := :schema.clock();
begin
  return query
    with given as materialized (
      select * from unnest(
        p_accounts, p_ids, p_keys, p_kinds, p_resources, p_resource_ids, p_verified_by, p_from, p_lengths, p_leases,
        p_traceparents)
        as given(account, id, key, kind, resource, resource_id, verified_by, body_from, body_length, lease_ms, traceparent)
    ), stored as (
      insert into :schema.delivery (account, id, key, kind, resource, resource_id, verified_by, body, traceparent, received_at)
      select account, id, decode(key, 'hex'), kind, resource, resource_id, verified_by,
        substring(p_bodies from body_from for body_length), traceparent, p_moment
      from given
      on conflict (account, key) do nothing
      returning account, id, kind
    ), queued as (
      insert into :schema.delivery_queue (account, id, kind, due_at, claimed_until, token, attempts)
      select stored.account, stored.id, stored.kind, p_moment, p_moment + lease_ms * interval '1 millisecond',
        case when lease_ms is not null then p_token end, (lease_ms is not null)::integer
      from stored join given on given.account = stored.account and given.id = stored.id
      returning account, id, place || '.' || token as token
    )
    select account, id, token, p_moment from queued;
end
$body$;

-- Counts duplicates. The rows are locked in the order of their keys, so that two such statements cannot deadlock. A
-- duplicate of an unrecognised delivery puts it back into the queue, unless it is there: in a minute, so that a delivery
-- that comes a thousand times is processed once. The statement does not wait for a delivery that is just being finished.
create function :schema.count_duplicates(p_accounts text[], p_keys text[], p_times integer[])
returns void language plpgsql volatile
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
begin
  with known as (
    select delivery.account, delivery.id, delivery.kind, delivery.outcome, given.times
    from unnest(p_accounts, p_keys, p_times) as given(account, key, times)
    join :schema.delivery on delivery.key = decode(given.key, 'hex')
      and delivery.account || '' = given.account
    order by delivery.key, delivery.account
    for no key update of delivery
  ), due_again as (
    insert into :schema.delivery_queue (account, id, kind, due_at)
    select known.account, known.id, known.kind, :schema.clock() + interval '1 minute' from known
    where known.outcome = 'unrecognised' and not exists (
      select from :schema.delivery_queue queue where queue.id = known.id and queue.account || '' = known.account)
    on conflict do nothing
  )
  update :schema.delivery set duplicates = duplicates + known.times
  from known where delivery.id = known.id and delivery.account || '' = known.account;
end
$body$;

-- Finishes claims of deliveries and returns the numbers of the arguments whose claim was still valid. The token of a
-- claim contains the place of its row in the queue. The delivery itself is written only if its row changes: a
-- delivery that succeeded at the first attempt needs no update.
create function :schema.finish_deliveries(
  p_places bigint[], p_tokens text[], p_kinds text[], p_in_ms float8[], p_notes text[])
returns setof bigint language plpgsql volatile
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
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
