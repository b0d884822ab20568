-- The results of recordings that need no lock: an operation with the key exists, or sending is paused. Null where there is none. So a repeated
-- request does not wait.
create function :fn.known_answers(p_operations jsonb)
returns text[] language plpgsql volatile as $body$
begin
  return (
    select array_agg(case
      when operation.id is not null then json_build_object('kind', 'existing', 'id', operation.id)
      when paused.by is not null then json_build_object('kind', 'paused', 'pause', to_json(paused)) end::text order by place)
    from jsonb_array_elements(p_operations) with ordinality as given(wanted, place)
    left join :schema.operation on idempotency_key = wanted->>'idempotencyKey' and kind = wanted->>'kind'
      and operation.account || '' = wanted->>'account'
    left join lateral (
      select nullif(account, '*') as account, by_whom as by, note, extract(epoch from at) * 1000 as at from :schema.pause
      where is_current and account = any (array[wanted->>'account', '*']) order by account = '*' limit 1) as paused on true);
end
$body$;
