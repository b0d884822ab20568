import { WALKS_INDEXES } from './000005.acknowledge-functions.js';

/**
 * Who heard what. A call that is done leaves the queue, and stays here for whoever asks later whether a listener was told.
 *
 * By the place of the event, which only grows: rows that are done together lie together, and however many there are, a new
 * one touches the last page of the index.
 */
export const TOLD = `
create table :schema.told (
  event_place bigint not null,
  listener text not null,
  attempts integer not null,
  at timestamptz not null
);

create index told_event on :schema.told (event_place);

-- What is done moves to those who were told. Gives which of the arguments still held their claim, by number.
create or replace function :schema.finish_calls(
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
      select event.place, done.listener, done.attempts, clock_timestamp()
      from done join :schema.event event on event.id = done.event_id and event.account = done.account
    ), failed as (
      update :schema.call call
      set token = null, claimed_until = null, last_error = given.note,
        state = case given.kind when 'retry' then 'pending' else 'dead' end,
        due_at = clock_timestamp() + given.in_ms * interval '1 millisecond',
        died_at = case given.kind when 'retry' then null else clock_timestamp() end
      from given
      where call.id = given.id and call.token = given.token and call.state = 'pending' and given.kind <> 'done'
      returning given.number
    )
    select number from done union all select number from failed;
end
$body$;
`;
