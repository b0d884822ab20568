-- Records some of these operations, and returns their places. Not those whose key exists.
create function :fn.insert_operations(p_operations jsonb, p_places integer[], p_moment timestamptz)
returns integer[] language plpgsql volatile as $body$
declare
  p_recorded integer[];
begin
  with given as materialized (
    select place, wanted, wanted->>'account' as account, wanted->>'id' as id, wanted->>'kind' as kind, wanted->>'currency' as currency,
      wanted->>'amountMinor' as amount_minor, decode(wanted->>'phoneHash', 'hex') as phone_hash,
      (wanted->>'anyPayer')::boolean as any_payer, (wanted->>'inBackground')::boolean as in_background,
      p_moment + (wanted->>'sendBeforeMs')::float8 * interval '1 millisecond' as send_before,
      wanted->'mark'->>'sender' as sender, to_timestamp((wanted->'mark'->>'sentAt')::float8 / 1000) as sent_at
    from jsonb_array_elements(p_operations) with ordinality as given(wanted, place)
    where place = any (p_places)
  ), recorded as (
    insert into :schema.operation (
      account, id, kind, idempotency_key, tills, request, personal, phone_hash, any_payer, currency, amount, amount_minor,
      besides, guard_keys, lasting_keys, counted, in_background, state, sender, sent_at, send_before, traceparent, created_at, updated_at, sent_about,
      history)
    select account, id, kind, wanted->>'idempotencyKey', array(select jsonb_array_elements_text(wanted->'tills')), wanted->'request',
      wanted->'personal', phone_hash, any_payer, currency, wanted->>'amount', amount_minor, nullif(array(select jsonb_array_elements_text(wanted->'besides')), '{}'),
      nullif(array(select decode(jsonb_array_elements_text(wanted->'guardKeys'), 'hex')), '{}'),
      nullif(array(select decode(jsonb_array_elements_text(wanted->'lastingKeys'), 'hex')), '{}'),
      nullif(wanted->'guard'->'counted', '{}'), in_background, case when sender is null then 'created' else 'requested' end, sender, sent_at, send_before,
      wanted->>'traceparent', p_moment, p_moment,
      :fn.sent_about(p_moment, sent_at),
      case when sender is null then '[]'
        else jsonb_build_array(jsonb_build_array(extract(epoch from p_moment) * 1000, 'request', 'state', 'created to requested')) end
    from given order by place
    on conflict (idempotency_key, kind, account) do nothing
    returning account, id, sent_about
  ), queued as (
    insert into :schema.operation_queue (account, id, followed, listed_as, money, sent_about, due_at)
    select account, id, false, case when kind <> 'payment' and sender is null then 'unsent' end,
      :fn.expected_money(any_payer, phone_hash, amount_minor, currency), sent_about,
      case when (wanted->>'isHeld')::boolean then 'infinity' when in_background then p_moment else send_before end
    from recorded join given using (account, id)
  )
  select coalesce(array_agg(place), '{}') into p_recorded from recorded join given using (account, id);
  return p_recorded;
end
$body$;
