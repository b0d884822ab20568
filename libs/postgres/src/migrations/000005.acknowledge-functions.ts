/**
 * Deliveries that arrive together and claims that end together, one commit for all of them. Functions, so that they are
 * planned once for each connection; see the claims for why they may only walk indexes.
 */
const WALKS_INDEXES = `
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off`;

export const ACKNOWLEDGE_FUNCTIONS = `
-- The bodies come end to end in one parameter, which travels as the bytes it is. Gives those that were not there before.
create function :schema.store_deliveries(
  p_accounts text[], p_ids text[], p_keys text[], p_kinds text[], p_resources text[], p_resource_ids text[],
  p_verified_by text[], p_from integer[], p_lengths integer[], p_bodies bytea)
returns table (account text, id text) language plpgsql volatile as $body$
#variable_conflict use_column
begin
  return query
    with stored as (
      insert into :schema.delivery (account, id, key, kind, resource, resource_id, verified_by, body, received_at)
      select account, id, decode(key, 'hex'), kind, resource, resource_id, verified_by,
        substring(p_bodies from body_from for body_length), :schema.clock()
      from unnest(p_accounts, p_ids, p_keys, p_kinds, p_resources, p_resource_ids, p_verified_by, p_from, p_lengths)
        as given(account, id, key, kind, resource, resource_id, verified_by, body_from, body_length)
      on conflict (account, key) do nothing
      returning account, id, kind
    ), queued as (
      insert into :schema.delivery_queue (account, id, kind, due_at) select account, id, kind, :schema.clock() from stored
    )
    select account, id from stored;
end
$body$;

-- Locked in the order of their keys: two that count the same rows wait for each other, never in a circle. What nobody
-- understood is due again, unless it waits: the row of one that is just being finished is not waited for.
create function :schema.count_redeliveries(p_accounts text[], p_keys text[], p_times integer[])
returns void language plpgsql volatile ${WALKS_INDEXES} as $body$
begin
  with known as (
    select delivery.account, delivery.id, delivery.kind, delivery.outcome, given.times
    from unnest(p_accounts, p_keys, p_times) as given(account, key, times)
    join :schema.delivery delivery on delivery.key = decode(given.key, 'hex')
      and delivery.account || '' = given.account
    order by delivery.key, delivery.account
    for no key update of delivery
  ), due_again as (
    insert into :schema.delivery_queue (account, id, kind, due_at)
    select known.account, known.id, known.kind, :schema.clock() from known
    where known.outcome = 'unrecognised' and not exists (
      select from :schema.delivery_queue queue where queue.id = known.id and queue.account || '' = known.account)
    on conflict do nothing
  )
  update :schema.delivery delivery set redeliveries = redeliveries + known.times
  from known where delivery.id = known.id and delivery.account || '' = known.account;
end
$body$;

-- The row is found by its place in the queue, which is part of the claim's token. Gives which of the arguments still held
-- their claim, by number. What went well at the first attempt leaves nothing to write on the
-- delivery itself.
create function :schema.finish_deliveries(
  p_places bigint[], p_tokens text[], p_kinds text[], p_in_ms float8[], p_notes text[])
returns setof bigint language plpgsql volatile ${WALKS_INDEXES} as $body$
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
      update :schema.delivery delivery
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

-- What is done moves to those who were told. Gives which of the arguments still held their claim, by number.
create function :schema.finish_calls(
  p_ids bigint[], p_tokens text[], p_kinds text[], p_in_ms float8[], p_notes text[])
returns setof bigint language plpgsql volatile ${WALKS_INDEXES} as $body$
begin
  return query
    with given as materialized (
      select * from unnest(p_ids, p_tokens, p_kinds, p_in_ms, p_notes)
      with ordinality as given(id, token, kind, in_ms, note, number)
    ), done as (
      delete from :schema.call call using given
      where call.id = given.id and call.token = given.token and call.state = 'pending' and given.kind = 'done'
      returning given.number, call.account, call.event_id, call.listener, call.attempts
    ), told as (
      insert into :schema.told (event_place, listener, attempts, at)
      select event.place, done.listener, done.attempts, :schema.clock()
      from done join :schema.event event on event.id = done.event_id and event.account = done.account
    ), failed as (
      update :schema.call call
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

create function :schema.renew_calls(p_ids bigint[], p_tokens text[], p_lease_ms float8)
returns setof bigint language plpgsql volatile ${WALKS_INDEXES} as $body$
declare
  p_now constant timestamptz := :schema.clock();
begin
  perform set_config('synchronous_commit', 'off', true);
  return query
    update :schema.call call set claimed_until = p_now + p_lease_ms * interval '1 millisecond'
    from unnest(p_ids, p_tokens) as given(id, token)
    where call.id = given.id and call.token = given.token and call.state = 'pending'
    returning call.id;
end
$body$;
`;
